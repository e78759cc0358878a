// One thread stores -2, and N exchange it for -3: the first behind the store does, the others find what was there before, or -3.
#include <pthread.h>
#include <stdatomic.h>
#ifndef T
#define T int
#endif

_Atomic(T) v = -1;

static void *put(void *unused)
{
    atomic_store(&v, -2);
    return unused;
}

static void *exchange(void *unused)
{
    T want = -2;
    atomic_compare_exchange_strong(&v, &want, -3);
    return unused;
}

int main(void)
{
    pthread_t storing, others[N];
    pthread_create(&storing, 0, put, 0);
    for (int i = 0; i < N; i++)
        pthread_create(&others[i], 0, exchange, 0);
    pthread_join(storing, 0);
    for (int i = 0; i < N; i++)
        pthread_join(others[i], 0);
    return 0;
}
