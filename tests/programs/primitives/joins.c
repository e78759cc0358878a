/* Joins that do not wait, or not for long; handlers that run at the end of a thread. WRONG: a try is taken for an end. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#ifndef WRONG
#define WRONG 0
#endif

static int result, order[3], ran;

static void handler(void *which)
{
    order[ran++] = *(int *)which;
}

static void inner(void)
{
    static int two = 2;
    pthread_cleanup_push(handler, &two);
    pthread_exit(&result);
    pthread_cleanup_pop(0);
}

static void *worker(void *unused)
{
    static int one = 1, none = 9;
    (void)unused;
    int old;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
    result = 1;
    pthread_cleanup_push(handler, &one);
    pthread_cleanup_push(handler, &none);
    pthread_cleanup_pop(0);
    inner();
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    struct timespec at = {0, 0};
    pthread_t thread;
    void *value = NULL;
    pthread_create(&thread, NULL, worker, NULL);
    assert(pthread_kill(thread, 0) == 0);
#ifdef TIMED
    int error = pthread_timedjoin_np(thread, &value, &at);
    assert(error == 0 || error == ETIMEDOUT);
#else
    int error = pthread_tryjoin_np(thread, &value);
    assert(error == 0 || error == EBUSY);
#endif
#if WRONG == 0
    if (error != 0)
        assert(pthread_join(thread, &value) == 0);
#endif
    assert(result == 1);
    assert(ran == 2 && order[0] == 2 && order[1] == 1 && value == &result);
    (void)at;
    return 0;
}
