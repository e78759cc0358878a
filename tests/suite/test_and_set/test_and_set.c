/* A spin lock of one atomic flag.
 * TWO_STEPS: it is tested and set in two steps. NO_CLEAR: it is not given back. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

#ifdef TWO_STEPS
static atomic_int taken;
#else
static atomic_flag taken = ATOMIC_FLAG_INIT;
#endif
static int counter;

static void *count(void *unused)
{
#ifdef TWO_STEPS
    while (taken)
        ;
    taken = 1;
    counter++;
    taken = 0;
#else
    while (atomic_flag_test_and_set(&taken))
        ;
    counter++;
#ifndef NO_CLEAR
    atomic_flag_clear(&taken);
#endif
#endif
    return unused;
}

int main(void)
{
    RUN(count, count);
    assert(counter == 2);
    return 0;
}
