/* A counter behind a mutex that one thread waits for with a time limit. WRONG: it goes on without. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#ifndef WRONG
#define WRONG 0
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int count, given_up;

static void *patient(void *unused)
{
    struct timespec at;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec = 0;
    at.tv_sec += 2;
    int error = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &at);
    if (error == ETIMEDOUT) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        assert(now.tv_sec >= at.tv_sec);
        given_up = 1;
#if WRONG == 0
        return NULL;
#endif
    } else {
        assert(error == 0);
    }
    count++;
    pthread_mutex_unlock(&mutex); /* gives back */
    return NULL;
}

static void *other(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    count++;
#if WAITS
    /* Gives the mutex back on the way. */
    struct timespec at = {0, 0};
    pthread_cond_timedwait(&never, &mutex, &at);
#endif
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    struct timespec no_moment = {0, -1}, now;
    pthread_t first, second;
    pthread_create(&first, NULL, patient, NULL);
    pthread_create(&second, NULL, other, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(count == 2 - given_up);
    assert(pthread_mutex_timedlock(&mutex, &no_moment) == 0);
    assert(pthread_mutex_timedlock(&mutex, &no_moment) == EINVAL);
    pthread_mutex_unlock(&mutex);
    clock_gettime(CLOCK_REALTIME, &now);
    assert(pthread_mutex_timedlock(&mutex, &now) == 0);
    pthread_mutex_unlock(&mutex);
    (void)never;
    return 0;
}
