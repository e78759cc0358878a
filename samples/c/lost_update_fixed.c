/* The fixed form of lost_update.c: load, addition and store are one atomic operation, so no
 * update can come between them. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *increment(void *unused)
{
    (void)unused;
    atomic_fetch_add(&counter, 1);
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
