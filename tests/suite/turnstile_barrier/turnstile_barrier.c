/* Downey's barrier of semaphores, with two turnstiles, so that it can be used again.
 * ONE_PHASE: with one, so that a fast thread takes what was meant for a slow one. */
#include "../suite.h"
#include <assert.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t in, out;
static int there;
static atomic_int rounds[2];

static void barrier(void)
{
    pthread_mutex_lock(&lock);
    if (++there == 2) {
#ifdef ONE_PHASE
        there = 0;
#endif
        sem_post(&in);
        sem_post(&in);
    }
    pthread_mutex_unlock(&lock);
    sem_wait(&in);
#ifndef ONE_PHASE
    pthread_mutex_lock(&lock);
    if (--there == 0) {
        sem_post(&out);
        sem_post(&out);
    }
    pthread_mutex_unlock(&lock);
    sem_wait(&out);
#endif
}

static void *work(void *number)
{
    int me = (int)(intptr_t)number;
    for (int round = 1; round <= 2; round++) {
        rounds[me] = round;
        barrier();
        assert(rounds[1 - me] >= round);
    }
    return NULL;
}

int main(void)
{
    sem_init(&in, 0, 0);
    sem_init(&out, 0, 0);
    RUN(work, work);
    return 0;
}
