/* A wait with a recursive mutex that its thread holds HOLDS times gives one hold back: with 2, the mutex stays taken.
 * TRIED: main looks whether the mutex is free instead of waiting for it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#ifndef HOLDS
#define HOLDS 1
#endif

static pthread_mutex_t m;
static pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
static int ready;
static atomic_int waiting;

static void *waiter(void *unused)
{
    for (int i = 0; i < HOLDS; i++)
        pthread_mutex_lock(&m);
#ifdef TRIED
    struct timespec end = {1, 0};
    atomic_store(&waiting, 1);
    pthread_cond_timedwait(&cv, &m, &end);
    atomic_store(&waiting, 0);
#else
    while (!ready)
        pthread_cond_wait(&cv, &m);
#endif
    for (int i = 0; i < HOLDS; i++)
        pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &recursive);
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
#ifdef TRIED
    if (pthread_mutex_trylock(&m) == 0) {
        assert(!atomic_load(&waiting));
        pthread_mutex_unlock(&m);
    }
    pthread_cond_signal(&cv);
#else
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&cv);
    pthread_mutex_unlock(&m);
#endif
    pthread_join(thread, 0);
    return 0;
}
