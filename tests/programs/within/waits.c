/* A worker that waits for an item which a late one never posts; main waits for both. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t items;
static atomic_int waiting;

static void get(void)
{
    atomic_store(&waiting, 1);
    sem_wait(&items); // waits
}

static void *worker(void *x)
{
    get();
    return x;
}

static void *poster(void *x)
{
    if (atomic_load(&waiting))
        sem_post(&items);
    return x;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&items, 0, 0);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, poster, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
