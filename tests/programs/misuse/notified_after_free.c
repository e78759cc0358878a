/* A job is waited for by who asked for it and then given back with its mutex and condition variable; the worker
 * notifies after it has let go of the mutex. With -DFIXED it notifies before. */
#include <pthread.h>
#include <stdlib.h>

struct job {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int is_done;
};

static void *work(void *arg)
{
    struct job *job = arg;
    pthread_mutex_lock(&job->lock);
    job->is_done = 1;
#ifdef FIXED
    pthread_cond_signal(&job->done);
    pthread_mutex_unlock(&job->lock);
#else
    pthread_mutex_unlock(&job->lock);
    pthread_cond_signal(&job->done); /* notified */
#endif
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct job *job = malloc(sizeof *job);
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->done, NULL);
    job->is_done = 0;
    pthread_create(&t, NULL, work, job);
    pthread_mutex_lock(&job->lock);
    while (!job->is_done)
        pthread_cond_wait(&job->done, &job->lock);
    pthread_mutex_unlock(&job->lock);
    free(job); /* freed */
    pthread_join(t, NULL);
    return 0;
}
