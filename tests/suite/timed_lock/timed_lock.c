/* A thread waits for a lock for some time at most.
 * IGNORED: it works where it did not get it, too. */
#include "../suite.h"
#include <assert.h>
#include <errno.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *patient(void *unused)
{
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *hasty(void *unused)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 1;
    int error = pthread_mutex_timedlock(&lock, &end);
    assert(error == 0 || error == ETIMEDOUT);
#ifndef IGNORED
    if (!error)
#endif
        done++;
    if (!error)
        pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(patient, hasty);
    assert(done == 1 || done == 2);
    return 0;
}
