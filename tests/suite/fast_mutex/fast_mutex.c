/* Lamport's fast mutual exclusion, for two threads.
 * HASTY: who meets another one does not wait until that is through. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int x, y, busy[3];
static int counter;

static void enter(int me)
{
    for (;;) {
        busy[me] = 1;
        x = me;
        if (y != 0) {
            busy[me] = 0;
            while (y != 0)
                ;
            continue;
        }
        y = me;
        if (x == me)
            return;
        busy[me] = 0;
#ifndef HASTY
        while (busy[3 - me])
            ;
#endif
        if (y == me)
            return;
        while (y != 0)
            ;
    }
}

static void *count(void *number)
{
    int me = (int)(intptr_t)number + 1;
    enter(me);
    counter++;
    y = 0;
    busy[me] = 0;
    return NULL;
}

int main(void)
{
    RUN(count, count);
    assert(counter == 2);
    return 0;
}
