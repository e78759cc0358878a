/* A pair behind a read-write lock. READERS and WRITERS say how many of each; WRONG what is wrong, if anything. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef WRONG
#define WRONG 0
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *reader(void *unused)
{
    (void)unused;
    pthread_rwlock_rdlock(&lock);
    assert(left == right);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *writer(void *unused)
{
    (void)unused;
#if WRONG == 1
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
    left++; /* written */
    right++;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

/* Reads, and then writes without letting go in between. */
static void *upgrader(void *unused)
{
    (void)unused;
    pthread_rwlock_rdlock(&lock);
#if WRONG == 2
    pthread_rwlock_wrlock(&lock); /* upgrades */
#else
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
#endif
    left++;
    right++;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

/* Gives back what others have. */
static void *stranger(void *unused)
{
    (void)unused;
#if WRONG != 3
    pthread_rwlock_rdlock(&lock);
#endif
    pthread_rwlock_unlock(&lock); /* gives back */
    return NULL;
}

static void *trier(void *unused)
{
    (void)unused;
    if (pthread_rwlock_trywrlock(&lock) != 0) {
#if WRONG == 4
        left++;
#endif
        return NULL;
    }
    left++;
    right++;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *patient(void *unused)
{
    struct timespec at = {0, 0};
    (void)unused;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += 1;
    int error = pthread_rwlock_timedwrlock(&lock, &at);
#if WRONG == 5
    (void)error;
#else
    if (error == ETIMEDOUT)
        return NULL;
    assert(error == 0);
#endif
    left++;
    right++;
    pthread_rwlock_unlock(&lock); /* gave up */
    return NULL;
}

/* What glibc has an error number for, and what it lets pass. */
static void alone(void)
{
    struct timespec no_moment = {0, 1000000000};
    assert(pthread_rwlock_wrlock(&lock) == 0);
    assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
    assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_timedwrlock(&lock, &no_moment) == EINVAL);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &now) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &now) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_destroy(&lock) == 0);
#if WRONG == 6
    pthread_rwlock_rdlock(&lock); /* after the end */
#endif
    assert(pthread_rwlock_init(&lock, NULL) == 0);
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
#if WRONG == 7
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_destroy(&lock); /* while in use */
#endif
}

#ifdef TWO
static void *(*const bodies[])(void *) = {TWO, TWO};
#elif defined(BODY)
static void *(*const bodies[])(void *) = {BODY, reader};
#endif

int main(void)
{
#ifdef ALONE
    alone();
#elif defined(TWO) || defined(BODY)
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(left == right);
#else
    pthread_t threads[READERS + WRITERS];
    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_create(&threads[i], NULL, i < READERS ? reader : writer, NULL);
    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_join(threads[i], NULL);
    assert(left == WRITERS);
#endif
    (void)reader, (void)writer, (void)upgrader, (void)stranger, (void)trier, (void)patient, (void)alone;
    return 0;
}
