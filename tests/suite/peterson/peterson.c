/* Peterson's algorithm for two threads.
 * NO_TURN: nobody gives way. TURN_FIRST: the turn is given away before the flag is raised. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int flags[2];
#ifndef NO_TURN
static atomic_int turn;
#endif
static int counter;

static void *count(void *number)
{
    int me = (int)(intptr_t)number, other = 1 - me;
#if defined NO_TURN
    flags[me] = 1;
    while (flags[other])
        ;
#elif defined TURN_FIRST
    turn = other;
    flags[me] = 1;
    while (flags[other] && turn == other)
        ;
#else
    flags[me] = 1;
    turn = other;
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
