/* The fixed form of split_lock.c: what is read stays true until it is written, because the lock is
 * held in between. */
#include <assert.h>
#include <pthread.h>

static int resource;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *increment(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    int seen = resource;
    assert(resource == seen);
    resource = seen + 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, increment, NULL);
    pthread_create(&second, NULL, increment, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
