/* Lamport's bakery: draw a number higher than all others, wait for those with a lower one.
 * NO_CHOOSING: others do not wait for a thread that is about to draw. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int choosing[2], numbers[2];
static int counter;

static void *count(void *number)
{
    int me = (int)(intptr_t)number, other = 1 - me;
#ifndef NO_CHOOSING
    choosing[me] = 1;
#endif
    int mine = numbers[other] + 1;
    numbers[me] = mine;
#ifndef NO_CHOOSING
    choosing[me] = 0;
    while (choosing[other])
        ;
#endif
    for (;;) {
        int its = numbers[other];
        if (its == 0 || its > mine || (its == mine && other > me))
            break;
    }
    counter++;
    numbers[me] = 0;
    return NULL;
}

int main(void)
{
    RUN(count, count);
    assert(counter == 2);
    return 0;
}
