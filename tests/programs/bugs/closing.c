/* A worker serves a queue until it is closed; one thread adds a job, another closes. The job is added although
 * the queue was closed after it was looked at, and nobody does it. */
#include "../counts/counts.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs, closed, gone;

static void serve(void)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (jobs == 0 && !closed)
            pthread_cond_wait(&changed, &lock);
        if (jobs == 0)
            break;
        jobs--;
    }
    gone = 1;
    pthread_mutex_unlock(&lock);
}

static void add(void)
{
    pthread_mutex_lock(&lock);
    int is_open = !closed;
    pthread_mutex_unlock(&lock);
    if (!is_open)
        return;
    pthread_mutex_lock(&lock);
    assert(!gone);
    jobs++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void close_it(void)
{
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void *work(void *id)
{
    switch ((intptr_t)id) {
    case 0: serve(); break;
    case 1: add(); break;
    default: close_it();
    }
    return NULL;
}

int main(void)
{
    run_all(3, work);
    return 0;
}
