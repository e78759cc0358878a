/* Treiber's stack: two threads push a node each and pop one each.
 * TWO_STEPS: pop is a load and a store. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
};

static struct node nodes[2];
static struct node *_Atomic top;
static struct node *popped[2];

static void push(struct node *node)
{
    struct node *old = top;
    do {
        node->next = old;
    } while (!atomic_compare_exchange_strong(&top, &old, node));
}

static struct node *pop(void)
{
    struct node *old = top;
#ifdef TWO_STEPS
    if (old)
        top = old->next;
#else
    while (old && !atomic_compare_exchange_strong(&top, &old, old->next))
        ;
#endif
    return old;
}

static void *push_pop(void *number)
{
    push(&nodes[(intptr_t)number]);
    popped[(intptr_t)number] = pop();
    return NULL;
}

int main(void)
{
    RUN(push_pop, push_pop);
    assert(popped[0] && popped[1] && popped[0] != popped[1]);
    return 0;
}
