/* What one thread wrote, read by another that a relaxed flag told of it: what lies between orders the two (RIGHT) or does not. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

int told, heard;
static atomic_int said;

#if defined ONCE
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void initialise(void)
{
#ifdef RIGHT
    told = 1;
#endif
}
/* Whoever comes later is behind the initialiser, and not behind those who came before it in vain. */
static void gives(void)
{
    pthread_once(&once, initialise);
#ifndef RIGHT
    told = 1;
    pthread_once(&once, initialise);
#endif
}
static void takes(void) { pthread_once(&once, initialise); }
#elif defined COUNT
static sem_t posts;
static void gives(void)
{
    told = 1;
    sem_post(&posts);
}
static void takes(void)
{
#ifdef RIGHT
    sem_wait(&posts);
#else
    int count;
    sem_getvalue(&posts, &count);
    assert(count == 1);
#endif
}
#elif defined READERS
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static void gives(void)
{
    GIVES(&lock);
    told = 1;
    pthread_rwlock_unlock(&lock);
}
static void takes(void)
{
    TAKES(&lock);
    pthread_rwlock_unlock(&lock);
}
#elif defined STACK
static void gives(void);
static void takes(void);
static _Atomic(pthread_mutex_t *) given;
/* Each call has a lock of its own, at the same place. */
__attribute__((noinline)) static void locks(int wants)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    atomic_store_explicit(&given, &lock, memory_order_relaxed);
    while (atomic_load_explicit(&said, memory_order_relaxed) != wants)
        ;
}
static void gives(void)
{
    pthread_mutex_t *lock;
    while (!(lock = atomic_load_explicit(&given, memory_order_relaxed)))
        ;
    pthread_mutex_lock(lock);
    told = 1;
    pthread_mutex_unlock(lock);
    atomic_store_explicit(&given, NULL, memory_order_relaxed);
}
static void takes(void)
{
    pthread_mutex_t *lock;
    while (!(lock = atomic_load_explicit(&given, memory_order_relaxed)))
        ;
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}
#endif

static void *first(void *unused)
{
    gives();
    atomic_store_explicit(&said, 1, memory_order_relaxed);
    return unused;
}

static void *second(void *unused)
{
    while (atomic_load_explicit(&said, memory_order_relaxed) != 1)
        ;
    takes();
    heard = told;
    atomic_store_explicit(&said, 2, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
#ifdef COUNT
    sem_init(&posts, 0, 0);
#endif
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
#ifdef STACK
    locks(1);
    locks(2);
#endif
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return heard - 1;
}
