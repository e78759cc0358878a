/* T1 goes round LOOP, ROUNDS times, and fails behind that if main has come to its end; other threads go round for ever. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#ifndef WORK
#define WORK 0
#endif

static atomic_int others, counted, last;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void wait_a_moment(void)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec++;
    pthread_mutex_lock(&m);
    pthread_cond_timedwait(&c, &m, &at);
    pthread_mutex_unlock(&m);
}

static void *rounds(void *x)
{
    for (int i = 0; i != ROUNDS; i++)
        LOOP;
    assert(!last);
    return x;
}

static void *ticker(void *x)
{
    for (;;) {
        counted++;
        usleep(1000);
    }
    return x;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < TICKERS; i++) {
        pthread_create(&t, 0, ticker, 0);
        pthread_detach(t);
    }
    pthread_create(&t, 0, rounds, 0);
    for (int i = 0; i < WORK; i++) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
    others = 1;
    last = 1;
    return 0;
}
