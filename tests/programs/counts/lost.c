/* lost N: two threads, N times {v = c; c = v+1}. N=1: 4, N=2: 34 executions. With -DCHECK main asserts
 * in the end that no update was lost. */
#include "counts.h"
#include <assert.h>

static atomic_int c;

static void *add(void *unused)
{
    for (int n = 0; n < N; n++) {
        int v = LOAD(c);
        STORE(c, v + 1);
    }
    return unused;
}

int main(void)
{
    run_all(2, add);
#ifdef CHECK
    assert(LOAD(c) == 2 * N);
#endif
    return 0;
}
