/* Readers and writers, readers first (Courtois, Heymans and Parnas): the first reader takes the room, the last one gives
 * it back. EACH_POSTS: every reader gives it back. */
#include "../suite.h"
#include <assert.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static int readers, value;

static void *reader(void *unused)
{
    pthread_mutex_lock(&lock);
    if (++readers == 1)
        sem_wait(&room);
    pthread_mutex_unlock(&lock);

    assert(value == 0 || value == 1);

    pthread_mutex_lock(&lock);
    --readers;
#ifndef EACH_POSTS
    if (readers == 0)
#endif
        sem_post(&room);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *writer(void *unused)
{
    sem_wait(&room);
    value++;
    sem_post(&room);
    return unused;
}

int main(void)
{
    sem_init(&room, 0, 1);
    RUN(reader, reader, writer);
    return 0;
}
