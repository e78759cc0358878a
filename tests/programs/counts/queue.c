/* A queue of capacity 1 with two condition variables: one producer of two items, two consumers of
 * one. With `while` around the waits: 32 executions. -DIF waits with `if`, which loses items. */
#include "counts.h"
#include <assert.h>

#ifdef IF
#define AGAIN if
#else
#define AGAIN while
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
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

static void *work(void *id)
{
    if (id == NULL) {
        put();
        put();
    } else {
        take();
    }
    return NULL;
}

int main(void)
{
    run_all(3, work);
    return 0;
}
