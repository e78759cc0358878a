/* A buffer of one place with two condition variables: one producer of two items, two consumers of one.
 * IF: who was woken does not look again. ONE: producers and consumers wait for the same condition variable. */
#include "../suite.h"
#include <assert.h>

#ifdef IF
#define AGAIN if
#else
#define AGAIN while
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
#ifdef ONE
#define not_empty not_full
#else
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
#endif
static int filled;

static void put(void)
{
    pthread_mutex_lock(&lock);
    AGAIN (filled)
        pthread_cond_wait(&not_full, &lock);
    assert(!filled);
    filled = 1;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static void take(void)
{
    pthread_mutex_lock(&lock);
    AGAIN (!filled)
        pthread_cond_wait(&not_empty, &lock);
    assert(filled);
    filled = 0;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
}

static void *producer(void *unused)
{
    put();
    put();
    return unused;
}

static void *consumer(void *unused)
{
    take();
    return unused;
}

int main(void)
{
    RUN(producer, consumer, consumer);
    return 0;
}
