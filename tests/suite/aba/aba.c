/* A stack of numbered nodes; one thread pops a node, the other one pops two and pushes the first one back.
 * The top carries a number that changes with every change. NO_TAG: it does not. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_uint next[3] = {0, 2, 0};
/* Node in the low byte, number of the change above. */
static atomic_uint top = 1;
static unsigned popped, kept;

static unsigned changed(unsigned seen, unsigned node)
{
#ifdef NO_TAG
    (void)seen;
    return node;
#else
    return (seen & ~0xffu) + 0x100 + node;
#endif
}

static unsigned pop(void)
{
    unsigned seen = top;
    while ((seen & 0xff) != 0) {
        unsigned below = next[seen & 0xff];
        if (atomic_compare_exchange_strong(&top, &seen, changed(seen, below)))
            break;
    }
    return seen & 0xff;
}

static void push(unsigned node)
{
    unsigned seen = top;
    do
        next[node] = seen & 0xff;
    while (!atomic_compare_exchange_strong(&top, &seen, changed(seen, node)));
}

static void *pop_one(void *unused)
{
    popped = pop();
    return unused;
}

static void *pop_two_push_one(void *unused)
{
    unsigned first = pop();
    kept = pop();
    if (first)
        push(first);
    return unused;
}

int main(void)
{
    RUN(pop_one, pop_two_push_one);
    int owners[3] = {0};
    owners[popped]++;
    owners[kept]++;
    for (unsigned node; (node = pop()) != 0;)
        owners[node]++;
    assert(owners[1] == 1 && owners[2] == 1);
    return 0;
}
