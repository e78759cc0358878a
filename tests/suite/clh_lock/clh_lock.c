/* The queue lock of Craig, Landin and Hagersten: each waits at the node of the one before, and takes that
 * along for the next time. REUSED: it uses its own again. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int nodes[3];
static atomic_int *_Atomic tail = &nodes[2];
static int counter;

static void *count(void *number)
{
    atomic_int *mine = &nodes[(intptr_t)number];
    for (int i = 0; i < 2; i++) {
        *mine = 1;
        atomic_int *before = atomic_exchange(&tail, mine);
        while (*before)
            ;
        counter++;
        *mine = 0;
#ifndef REUSED
        mine = before;
#endif
    }
    return NULL;
}

int main(void)
{
    RUN(count, count);
    assert(counter == 4);
    return 0;
}
