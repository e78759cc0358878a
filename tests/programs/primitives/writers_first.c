/* A read-write lock whose waiting writers go before readers that come later. TRIES: a thread tries to read while main does, and a
 * writer may wait. AGAIN: main reads once more while it reads. TIMED: the writer does not wait for ever. HANDS: who gives it back
 * while a writer waits cannot take it before that one did. KIND: the other one. WRONG 1: to try cannot fail, since nobody writes; 2: the lock is given back twice; 3: the writer does not take the lock. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

#ifndef WRONG
#define WRONG 0
#endif
#ifndef KIND
#define KIND PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP
#endif

static pthread_rwlock_t lock;
static int left, right;
static const struct timespec past = {0, 0}, none = {0, 2000000000};

static void *writer(void *unused)
{
#if defined TIMED
    int error = pthread_rwlock_timedwrlock(&lock, &past);
    assert(error == 0 || error == ETIMEDOUT);
    if (error != 0)
        return unused;
#elif WRONG != 3
    assert(pthread_rwlock_wrlock(&lock) == 0);
    assert(pthread_rwlock_wrlock(&lock) == EDEADLK && pthread_rwlock_rdlock(&lock) == EDEADLK);
    assert(pthread_rwlock_timedrdlock(&lock, &past) == EDEADLK && pthread_rwlock_timedwrlock(&lock, &none) == EINVAL);
#endif
    left++;
    right++;
    pthread_rwlock_unlock(&lock);
#if WRONG == 2
    pthread_rwlock_unlock(&lock);
#endif
    return unused;
}

static void *reader(void *unused)
{
#ifdef TRIES
    int error = pthread_rwlock_tryrdlock(&lock);
    assert(error == 0 || (error == EBUSY && WRONG != 1));
    if (error != 0)
        return unused;
#else
    assert(pthread_rwlock_rdlock(&lock) == 0);
#endif
    assert(left == right);
    assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    pthread_rwlockattr_t attr;
    pthread_t first, second;
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, KIND);
    pthread_rwlock_init(&lock, &attr);
#if defined TRIES || defined AGAIN || defined HANDS
    pthread_rwlock_rdlock(&lock);
#endif
    pthread_create(&first, NULL, writer, NULL);
#if defined HANDS
    int waits = pthread_rwlock_tryrdlock(&lock) == EBUSY;
    if (!waits)
        pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    if (pthread_rwlock_trywrlock(&lock) == 0) {
        assert(!waits || left == 1);
        pthread_rwlock_unlock(&lock);
    }
#elif defined AGAIN
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
#else
    pthread_create(&second, NULL, reader, NULL);
    pthread_join(second, NULL);
#endif
#if defined TRIES || defined AGAIN
    pthread_rwlock_unlock(&lock);
#endif
    pthread_join(first, NULL);
    assert(left == right && left <= 1);
    (void)reader;
    (void)second;
    return 0;
}
