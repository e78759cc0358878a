/* SplitSync (paper: Bruening and Chapin, "Systematic Testing of Multithreaded Programs",
 * Figure 1): an increment split over two critical sections of one lock.
 *
 * Wrong: every access to `resource` is under the lock, so there is no data race; but the value
 * read in the first section may be old in the second. One preemption between them is enough.
 * Right: split_lock_fixed.c (one critical section). */
#include <assert.h>
#include <pthread.h>

static int resource;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *increment(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    int seen = resource;
    pthread_mutex_unlock(&lock);

    pthread_mutex_lock(&lock);
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
