/* A ticket lock.
 * TWO_STEPS: a ticket is drawn by a load and a store. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int next, serving;
static int counter;

static void *count(void *unused)
{
#ifdef TWO_STEPS
    int mine = next;
    next = mine + 1;
#else
    int mine = atomic_fetch_add(&next, 1);
#endif
    while (serving != mine)
        ;
    counter++;
    serving = mine + 1;
    return unused;
}

int main(void)
{
    RUN(count, count);
    assert(counter == 2);
    return 0;
}
