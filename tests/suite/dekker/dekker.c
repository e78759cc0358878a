/* Dekker's algorithm for two threads.
 * LOOK_FIRST: a thread looks at the other's flag before it raises its own. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int flags[2], turn;
static int counter;

static void enter(int me)
{
    int other = 1 - me;
#ifdef LOOK_FIRST
    while (flags[other])
        ;
    flags[me] = 1;
#else
    flags[me] = 1;
    while (flags[other]) {
        if (turn != me) {
            flags[me] = 0;
            while (turn != me)
                ;
            flags[me] = 1;
        }
    }
#endif
}

static void *count(void *number)
{
    int me = (int)(intptr_t)number;
    enter(me);
    counter++;
    turn = 1 - me;
    flags[me] = 0;
    return NULL;
}

int main(void)
{
    RUN(count, count);
    assert(counter == 2);
    return 0;
}
