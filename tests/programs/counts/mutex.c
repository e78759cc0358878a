/* mutex T×N: T threads, N times {lock; c++; unlock}. The orders in which T threads can enter N
 * times each: (TN)!/(N!)^T executions. */
#include "counts.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int c;

static void *count(void *unused)
{
    for (int n = 0; n < N; n++) {
        pthread_mutex_lock(&lock);
        c++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    run_all(T, count);
    return 0;
}
