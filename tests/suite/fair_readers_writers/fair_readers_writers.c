/* Readers and writers in the order in which they come: all pass a turnstile, which a writer holds until it is in.
 * CROSSED: readers hold the turnstile too until they are in, and the writer takes the room first. */
#include "../suite.h"
#include <assert.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t turnstile, room;
static int readers, value;

static void *reader(void *unused)
{
    sem_wait(&turnstile);
#ifndef CROSSED
    sem_post(&turnstile);
#endif
    pthread_mutex_lock(&lock);
    if (++readers == 1)
        sem_wait(&room);
    pthread_mutex_unlock(&lock);
#ifdef CROSSED
    sem_post(&turnstile);
#endif

    assert(value == 0 || value == 1);

    pthread_mutex_lock(&lock);
    if (--readers == 0)
        sem_post(&room);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *writer(void *unused)
{
#ifdef CROSSED
    sem_wait(&room);
    sem_wait(&turnstile);
#else
    sem_wait(&turnstile);
    sem_wait(&room);
#endif
    value++;
    sem_post(&turnstile);
    sem_post(&room);
    return unused;
}

int main(void)
{
    sem_init(&turnstile, 0, 1);
    sem_init(&room, 0, 1);
    RUN(reader, reader, writer);
    return 0;
}
