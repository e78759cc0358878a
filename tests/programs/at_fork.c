/* Registers what is to be done around a fork, as libraries do that have to know of one, again in every execution. libc keeps these in
 * a list that grows. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void in_child(void)
{
}

static void *worker(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++)
        assert(pthread_atfork(0, 0, in_child) == 0);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        done++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(done == 6);
}
