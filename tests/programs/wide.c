/* Far too many interleavings to finish: for limits, progress and Ctrl-C. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *worker(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++)
        atomic_fetch_add(&counter, 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
