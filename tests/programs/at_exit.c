/* Registers exit handlers in every execution: they must not pile up, nor touch the next one. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int registered;
static int ran;

static void handler(void)
{
    ran++;
}

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    registered++;
    atexit(handler);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t one, other;
    assert(registered == 0);
    assert(ran == 0);
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&other, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert(registered == 2);
    return 0;
}
