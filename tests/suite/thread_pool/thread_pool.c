/* Two workers take tasks until the pool is stopped.
 * SIGNAL: stopping wakes one of them. */
#include "../suite.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int tasks, stopping, done;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!tasks && !stopping)
            pthread_cond_wait(&changed, &lock);
        if (!tasks)
            break;
        tasks--;
        done++;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *boss(void *unused)
{
    pthread_mutex_lock(&lock);
    tasks++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);

    pthread_mutex_lock(&lock);
    stopping = 1;
#ifdef SIGNAL
    pthread_cond_signal(&changed);
#else
    pthread_cond_broadcast(&changed);
#endif
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(worker, worker, boss);
    assert(done == 1);
    return 0;
}
