/* The compiler's own atomic functions, old and new.
 * PLAIN: the second counter is an ordinary variable. */
#include "../suite.h"
#include <assert.h>

static int old, recent;

static void *count(void *unused)
{
    __sync_fetch_and_add(&old, 1);
#ifdef PLAIN
    recent++;
#else
    __atomic_fetch_add(&recent, 1, __ATOMIC_RELAXED);
#endif
    return unused;
}

int main(void)
{
    RUN(count, count);
    assert(__sync_bool_compare_and_swap(&old, 2, 0) && __atomic_load_n(&recent, __ATOMIC_ACQUIRE) == 2);
    return 0;
}
