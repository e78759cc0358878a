/* Readers and writers, writers first: a reader waits as long as a writer writes or waits.
 * FORGOTTEN: a writer that leaves wakes writers only. */
#include "../suite.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t readable = PTHREAD_COND_INITIALIZER;
static pthread_cond_t writable = PTHREAD_COND_INITIALIZER;
static int readers, writing, waiting, value;

static void *reader(void *unused)
{
    pthread_mutex_lock(&lock);
    while (writing || waiting)
        pthread_cond_wait(&readable, &lock);
    readers++;
    pthread_mutex_unlock(&lock);

    assert(value >= 0);

    pthread_mutex_lock(&lock);
    if (--readers == 0)
        pthread_cond_signal(&writable);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *writer(void *unused)
{
    pthread_mutex_lock(&lock);
    waiting++;
    while (readers || writing)
        pthread_cond_wait(&writable, &lock);
    waiting--;
    writing = 1;
    pthread_mutex_unlock(&lock);

    value++;

    pthread_mutex_lock(&lock);
    writing = 0;
#ifdef FORGOTTEN
    pthread_cond_signal(&writable);
#else
    if (waiting)
        pthread_cond_signal(&writable);
    else
        pthread_cond_broadcast(&readable);
#endif
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(reader, writer, writer);
    assert(value == 2);
    return 0;
}
