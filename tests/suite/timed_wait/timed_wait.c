/* A thread waits for a value, for some time at most.
 * ASSUMED: it takes the end of its wait for the value. */
#include "../suite.h"
#include <assert.h>
#include <errno.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value, given_up;

static void *waiter(void *unused)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 1;
    int error = 0;
    pthread_mutex_lock(&lock);
    while (!value && error == 0)
        error = pthread_cond_timedwait(&changed, &lock, &end);
#ifdef ASSUMED
    assert(value == 42);
#else
    given_up = !value;
    assert(given_up ? error == ETIMEDOUT : value == 42);
#endif
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *giver(void *unused)
{
    pthread_mutex_lock(&lock);
    value = 42;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(waiter, giver);
    return 0;
}
