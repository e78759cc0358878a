// Whom the signal wakes destroys the condition variable, though the call that gives the signal may not have returned.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done;

static void *worker(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&done);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_cond_init(&done, NULL);
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, worker, NULL);
    pthread_cond_wait(&done, &m);
    pthread_mutex_unlock(&m);
    pthread_cond_destroy(&done);
    pthread_join(t, NULL);
    return 0;
}
