/* writers N: N threads, one store each to x. N! executions. */
#include "counts.h"

static atomic_int x;

static void *writer(void *id)
{
    STORE(x, (int)(intptr_t)id);
    return NULL;
}

int main(void)
{
    run_all(N, writer);
    return 0;
}
