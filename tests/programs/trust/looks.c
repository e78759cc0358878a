/* Two threads wait for ever, in loops that an optimiser may have taken accesses from: each looks once more when nobody can run. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *counts(void *unused)
{
    y++;
    return unused;
}

static void *waits_for_two(void *unused)
{
    x = 0;
    while (y < 2)
        ;
    return unused;
}

static void *waits_for_x(void *unused)
{
    while (x < 2)
        ;
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, counts, 0);
    pthread_create(&threads[1], 0, waits_for_two, 0);
    pthread_create(&threads[2], 0, waits_for_x, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}
