/* A thread initialises a lock that another one holds, so that two are inside. The lock that it takes and gives back
 * orders nothing, and there is no other operation of the two that depends: one order of them stands for all.
 * With -DFIXED the lock is initialised before anybody can know of it. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void *prepare(void *arg)
{
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
#ifndef FIXED
    pthread_mutex_init(&m, NULL); /* initialised */
#endif
    pthread_mutex_lock(&m);
    inside++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
#ifdef FIXED
    pthread_mutex_init(&m, NULL);
#endif
    pthread_create(&t, NULL, prepare, NULL);
    pthread_mutex_lock(&m); /* used */
    inside++;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    assert(inside == 2);
    return 0;
}
