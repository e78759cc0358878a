/* Lost update, with C11 atomics.
 *
 * Wrong: each thread loads the counter, adds one and stores the sum. Both operations are atomic,
 * the pair is not: a thread preempted between its load and its store overwrites the other's
 * update. One preemption is enough. Every access is atomic, so it is not a data race.
 * Right: lost_update_fixed.c (one atomic_fetch_add). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *increment(void *unused)
{
    (void)unused;
    int seen = atomic_load(&counter);
    atomic_store(&counter, seen + 1);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, increment, NULL);
    pthread_create(&second, NULL, increment, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 2);
    return 0;
}
