// Threads that store, load, and exchange what nobody stores, in this order.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int v;

static void *put(void *unused)
{
    v = 1;
    return unused;
}

static void *exchange(void *unused)
{
    int want = 5;
    atomic_compare_exchange_strong(&v, &want, 2);
    return unused;
}

static void *look(void *unused)
{
    return v ? unused : 0;
}

int main(void)
{
    void *(*all[])(void *) = {ORDER};
    enum { N = sizeof all / sizeof *all };
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, all[i], 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
