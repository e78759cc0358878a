/* ainc N: N threads, one fetch_add each. N! executions. */
#include "counts.h"

static atomic_int x;

static void *add(void *unused)
{
    atomic_fetch_add(&x, 1);
    return unused;
}

int main(void)
{
    run_all(N, add);
    return 0;
}
