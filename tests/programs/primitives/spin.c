/* A counter behind a spin lock. THREADS says how many; WRONG what is wrong, if anything. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef WRONG
#define WRONG 0
#endif

static pthread_spinlock_t lock;
static int count;

static void *worker(void *unused)
{
    (void)unused;
#if WRONG == 1
    pthread_spin_trylock(&lock);
#else
    pthread_spin_lock(&lock);
#endif
    count++;
#if WRONG == 2
    pthread_spin_lock(&lock); /* again */
#endif
    pthread_spin_unlock(&lock); /* gives back */
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    assert(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_spin_lock(&lock) == 0);
    assert(pthread_spin_trylock(&lock) == EBUSY);
    assert(pthread_spin_unlock(&lock) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(count == THREADS);
    assert(pthread_spin_destroy(&lock) == 0);
#if WRONG == 3
    pthread_spin_lock(&lock); /* after the end */
#endif
    return 0;
}
