/* A robust mutex whose holder ends with it: the next one is told, and sets right what the mutex guards.
 * HEIRS: how many take it beside the one that dies. TRY, TIMED: how they do. TYPE: of the mutex. WAITS: who was told waits for a
 * condition, which nobody signals. MAIN: the main thread is the one that dies.
 * WRONG 1: who was told does not say that all is well; 2: says it behind the wait; 3: does not know that it was told. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

#ifndef WRONG
#define WRONG 0
#endif
#ifndef HEIRS
#define HEIRS 1
#endif
#ifndef TYPE
#define TYPE PTHREAD_MUTEX_NORMAL
#endif

static pthread_mutex_t mutex;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;
const struct timespec past = {0, 0};
static int halves[2];

static void *dies(void *unused)
{
    (void)unused;
    int error = pthread_mutex_lock(&mutex);
    assert(error == 0);
    if (TYPE == PTHREAD_MUTEX_RECURSIVE)
        assert(pthread_mutex_lock(&mutex) == 0);
    if (TYPE == PTHREAD_MUTEX_ERRORCHECK)
        assert(pthread_mutex_lock(&mutex) == EDEADLK && pthread_mutex_trylock(&mutex) == EDEADLK);
    halves[0]++;
    return NULL;
}

static void *heir(void *unused)
{
    (void)unused;
#if defined TRY
    int error = pthread_mutex_trylock(&mutex);
    if (error == EBUSY)
        return NULL;
#elif defined TIMED
    int error = pthread_mutex_timedlock(&mutex, &past);
    if (error == ETIMEDOUT)
        return NULL;
#else
    int error = pthread_mutex_lock(&mutex);
#endif
    assert(error == 0 || error == EOWNERDEAD || WRONG == 1);
#if WRONG != 3
    if (error == EOWNERDEAD) {
        assert(halves[0] == halves[1] + 1);
        halves[1]++;
#if defined WAITS && WRONG == 2
        assert(pthread_cond_timedwait(&never, &mutex, &past) == ETIMEDOUT);
#endif
#if WRONG != 1
        assert(pthread_mutex_consistent(&mutex) == 0);
        assert(pthread_mutex_consistent(&mutex) == EINVAL);
#endif
#if defined WAITS && WRONG != 2
        assert(pthread_cond_timedwait(&never, &mutex, &past) == ETIMEDOUT);
#endif
    } else {
        assert(pthread_mutex_consistent(&mutex) == EINVAL);
    }
#endif
    assert(halves[0] == halves[1]);
    int mine = pthread_mutex_unlock(&mutex);
    assert(mine == (error == ENOTRECOVERABLE ? EPERM : 0));
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_t first, heirs[HEIRS];
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, TYPE);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
#ifndef MAIN
    pthread_create(&first, NULL, dies, NULL);
#endif
    for (int i = 0; i < HEIRS; i++)
        pthread_create(&heirs[i], NULL, heir, NULL);
#ifdef MAIN
    (void)first;
    dies(NULL);
    pthread_exit(NULL);
#else
    pthread_join(first, NULL);
    for (int i = 0; i < HEIRS; i++)
        pthread_join(heirs[i], NULL);
    int error = pthread_mutex_lock(&mutex);
    assert(error != ENOTRECOVERABLE);
    assert(error == (halves[0] == halves[1] ? 0 : EOWNERDEAD));
    return 0;
#endif
}
