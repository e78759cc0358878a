/* Peterson's algorithm for two threads.
 * NO_TURN: nobody gives way. TURN_FIRST: the turn is given away before the flag is raised. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int flags[2], turn;
static int counter;

static void *count(void *number)
{
    int me = (int)(intptr_t)number, other = 1 - me;
#ifdef TURN_FIRST
    turn = other;
    flags[me] = 1;
#else
    flags[me] = 1;
    turn = other;
#endif
#ifdef NO_TURN
    while (flags[other])
        ;
#else
    while (flags[other] && turn == other)
        ;
#endif
    counter++;
    flags[me] = 0;
    return NULL;
}

int main(void)
{
    RUN(count, count);
    assert(counter == 2);
    return 0;
}
