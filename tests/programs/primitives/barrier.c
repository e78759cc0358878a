/* Threads that work in rounds, with a barrier between. THREADS and ROUNDS say how many; WRONG what is wrong, if anything. */
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef WRONG
#define WRONG 0
#endif

static pthread_barrier_t barrier;
static int slots[THREADS], serial[THREADS];

static void *worker(void *argument)
{
    int me = *(int *)argument;
    for (int round = 1; round <= ROUNDS; round++) {
        slots[me] = round; /* written */
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            serial[me]++;
        for (int i = 0; i < THREADS; i++)
            assert(slots[i] == round); /* read */
#if WRONG != 1
        if (round < ROUNDS)
            pthread_barrier_wait(&barrier);
#endif
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS], sum = 0;
    assert(pthread_barrier_init(&barrier, NULL, THREADS + (WRONG == 2)) == 0);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, worker, &numbers[i]);
    }
#if WRONG == 3
    pthread_barrier_destroy(&barrier); /* too early */
#endif
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        sum += serial[i];
    assert(sum == ROUNDS);
    assert(pthread_barrier_destroy(&barrier) == 0);
    return 0;
}
