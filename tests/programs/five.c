/* Five threads, of which two take their locks in opposite orders (with IN_ORDER they do not). The other three
 * go on meanwhile, and main waits for these only.
 *
 * HOW 0: they end, and so does main: the test passes, with two threads that wait for each other.
 * HOW 1: they never end.
 * HOW 2: one of them fails an assertion once the two wait for each other. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifndef HOW
#define HOW 0
#endif

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static atomic_int both, moved;

static void move(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    both++;
    pthread_mutex_lock(second); /* waits */
    moved++;
    pthread_mutex_unlock(second);
    both--;
    pthread_mutex_unlock(first);
}

static void *left_first(void *arg)
{
    move(&left, &right);
    return arg;
}

static void *right_first(void *arg)
{
#ifdef IN_ORDER
    move(&left, &right);
#else
    move(&right, &left);
#endif
    return arg;
}

static void *worker(void *arg)
{
    static atomic_int work[3];
    int own = (int)(long)arg;
    work[own]++;
#if HOW == 1
    for (;;) {
        work[own]++;
        sched_yield();
    }
#elif HOW == 2
    assert(own != 0 || both < 2);
#endif
    return NULL;
}

int main(void)
{
    pthread_t movers[2], workers[3];
    pthread_create(&movers[0], NULL, left_first, NULL);
    pthread_create(&movers[1], NULL, right_first, NULL);
    for (long i = 0; i < 3; i++)
        pthread_create(&workers[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(workers[i], NULL);
    return 0;
}
