/* A value that is set once and waited for.
 * TOO_LATE: it is announced before it is there. */
#include "../suite.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_set, value;

static void *get(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_set)
        pthread_cond_wait(&ready, &lock);
    pthread_mutex_unlock(&lock);
    assert(value == 42);
    return unused;
}

static void *set(void *unused)
{
#ifndef TOO_LATE
    value = 42;
#endif
    pthread_mutex_lock(&lock);
    is_set = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
#ifdef TOO_LATE
    value = 42;
#endif
    return unused;
}

int main(void)
{
    RUN(get, set);
    return 0;
}
