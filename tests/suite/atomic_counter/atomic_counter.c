/* Two threads count twice each, in one step.
 * TWO_STEPS: by a load and a store. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int counter;

static void *count(void *unused)
{
    for (int i = 0; i < 2; i++) {
#ifdef TWO_STEPS
        int seen = atomic_load_explicit(&counter, memory_order_relaxed);
        atomic_store_explicit(&counter, seen + 1, memory_order_relaxed);
#else
        atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
#endif
    }
    return unused;
}

int main(void)
{
    RUN(count, count);
    assert(counter == 4);
    return 0;
}
