/* lastzero N: the array a[0..N] is 0; thread 0 looks for the last zero from the end, thread j from 1
 * to N does a[j] = a[j-1]+1. (N+3)·2^(N-2) executions. */
#include "counts.h"

static atomic_int a[N + 1];

static void *search_or_write(void *id)
{
    int j = (int)(intptr_t)id;
    if (j == 0) {
        int i = N;
        while (LOAD(a[i]) != 0)
            i--;
    } else {
        int before = LOAD(a[j - 1]);
        STORE(a[j], before + 1);
    }
    return NULL;
}

int main(void)
{
    run_all(N + 1, search_or_write);
    return 0;
}
