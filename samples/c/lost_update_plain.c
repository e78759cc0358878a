/* Lost update on a plain int: a data race.
 *
 * Wrong: two threads write the counter with nothing that orders them. It is a data race in every
 * execution, also in those that happen to end with 2, so it is found without any preemption.
 * Right: lost_update_plain_fixed.c (a mutex around the update). */
#include <assert.h>
#include <pthread.h>

static int counter;

static void *increment(void *unused)
{
    (void)unused;
    counter = counter + 1;
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
