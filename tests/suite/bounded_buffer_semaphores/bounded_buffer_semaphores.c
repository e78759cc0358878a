/* A buffer of two places with two semaphores and a lock: a producer and a consumer of two items.
 * LOCK_FIRST: they wait for a place or an item while they hold the lock. */
#include "../suite.h"
#include <assert.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t places, items;
static int buffer[2], in, out;

static void enter(sem_t *what)
{
#ifdef LOCK_FIRST
    pthread_mutex_lock(&lock);
    sem_wait(what);
#else
    sem_wait(what);
    pthread_mutex_lock(&lock);
#endif
}

static void leave(sem_t *what)
{
    pthread_mutex_unlock(&lock);
    sem_post(what);
}

static void *producer(void *unused)
{
    for (int i = 0; i < 2; i++) {
        enter(&places);
        buffer[in++ % 2] = i + 1;
        leave(&items);
    }
    return unused;
}

static void *consumer(void *unused)
{
    for (int i = 0; i < 2; i++) {
        enter(&items);
        assert(buffer[out++ % 2] == i + 1);
        leave(&places);
    }
    return unused;
}

int main(void)
{
    sem_init(&places, 0, 2);
    sem_init(&items, 0, 0);
    RUN(producer, consumer);
    return 0;
}
