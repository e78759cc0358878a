/* A lock for one writer or many readers, made of a mutex and a condition variable: who reads looks whether
 * somebody writes, lets go of the mutex, and only then counts itself in. */
#include "../counts/counts.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static int writing;
static atomic_int readers, data[2];

static void read_both(void)
{
    pthread_mutex_lock(&lock);
    while (writing)
        pthread_cond_wait(&idle, &lock);
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&readers, 1);
    int first = LOAD(data[0]);
    assert(first == LOAD(data[1]));
    if (atomic_fetch_sub(&readers, 1) == 1) {
        pthread_mutex_lock(&lock);
        pthread_cond_broadcast(&idle);
        pthread_mutex_unlock(&lock);
    }
}

static void write_both(void)
{
    pthread_mutex_lock(&lock);
    while (LOAD(readers) > 0)
        pthread_cond_wait(&idle, &lock);
    writing = 1;
    pthread_mutex_unlock(&lock);
    STORE(data[0], 1);
    STORE(data[1], 1);
    pthread_mutex_lock(&lock);
    writing = 0;
    pthread_cond_broadcast(&idle);
    pthread_mutex_unlock(&lock);
}

static void *work(void *id)
{
    if (id == NULL)
        write_both();
    else
        read_both();
    return NULL;
}

int main(void)
{
    run_all(3, work);
    return 0;
}
