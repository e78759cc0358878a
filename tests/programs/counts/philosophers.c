/* philosophers N: one meal each; lock fork i, then fork (i+1) mod N. Each fork is had by one of two
 * first: 2^N ways, of which one is the deadlock and one cannot be, so 2^N-2 complete executions
 * and 1 deadlock. With -DORDERED the lower fork is taken first: 2^N-2, and no deadlock. */
#include "counts.h"

static pthread_mutex_t fork_[N] = {[0 ... N - 1] = PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *id)
{
    int one = (int)(intptr_t)id, other = (one + 1) % N;
#ifdef ORDERED
    if (other < one) {
        other = one;
        one = 0;
    }
#endif
    pthread_mutex_lock(&fork_[one]);
    pthread_mutex_lock(&fork_[other]);
    pthread_mutex_unlock(&fork_[other]);
    pthread_mutex_unlock(&fork_[one]);
    return NULL;
}

int main(void)
{
    run_all(N, dine);
    return 0;
}
