/* Threads are started in a loop with the loop's counter as their argument.
 * BY_REFERENCE: with its address. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int sum;

static void *add(void *argument)
{
#ifdef BY_REFERENCE
    atomic_fetch_add(&sum, *(int *)argument);
#else
    atomic_fetch_add(&sum, (int)(intptr_t)argument);
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int i;
    for (i = 0; i < 3; i++) {
#ifdef BY_REFERENCE
        pthread_create(&threads[i], NULL, add, &i);
#else
        pthread_create(&threads[i], NULL, add, (void *)(intptr_t)i);
#endif
    }
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL);
    assert(sum == 0 + 1 + 2);
    return 0;
}
