/* Two threads add one by compare-exchange, which is tried again with what was there.
 * NO_RETRY: it is tried once. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int counter;

static void *count(void *unused)
{
    int seen = atomic_load(&counter);
#ifdef NO_RETRY
    atomic_compare_exchange_strong(&counter, &seen, seen + 1);
#else
    while (!atomic_compare_exchange_strong(&counter, &seen, seen + 1))
        ;
#endif
    return unused;
}

int main(void)
{
    RUN(count, count);
    assert(counter == 2);
    return 0;
}
