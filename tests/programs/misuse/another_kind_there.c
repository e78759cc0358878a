/* Memory that is a mutex first and a semaphore when nobody uses the mutex any more. A relaxed flag says so, which orders
 * nothing for a detector of races; but whoever destroys the semaphore does not destroy the mutex. With -DBROKEN it is
 * the mutex that is destroyed, and that nothing orders. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static union { sem_t s; pthread_mutex_t m; } shared = {.m = PTHREAD_MUTEX_INITIALIZER};
static atomic_int over;

static void *use(void *arg)
{
    pthread_mutex_lock(&shared.m);
    pthread_mutex_unlock(&shared.m); /* used */
    atomic_store_explicit(&over, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, use, NULL);
    if (atomic_load_explicit(&over, memory_order_relaxed)) {
#ifdef BROKEN
        pthread_mutex_destroy(&shared.m); /* destroyed */
#else
        sem_init(&shared.s, 0, 1);
        sem_wait(&shared.s);
        sem_destroy(&shared.s);
#endif
    }
    pthread_join(t, NULL);
    return 0;
}
