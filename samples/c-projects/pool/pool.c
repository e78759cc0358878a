#include "pool.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 4 };

/* The next task, once there is one. False when the pool is stopping and nothing is left. */
static bool take(struct pool *pool, struct task *task)
{
    pthread_mutex_lock(&pool->lock);
    while (queue_is_empty(&pool->queue) && !atomic_load(&pool->stopping))
        pthread_cond_wait(&pool->work, &pool->lock);
    bool found = queue_pop(&pool->queue, task);
    if (found)
        pool->busy++;
    pthread_mutex_unlock(&pool->lock);
    return found;
}

/* A task is done: those who wait for the pool may be interested. */
static void finish(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->busy--;
    pool->done++;
    if (pool->busy == 0 && queue_is_empty(&pool->queue))
        pthread_cond_broadcast(&pool->idle);
    pthread_mutex_unlock(&pool->lock);
}

static void *pool_worker(void *argument)
{
    struct pool *pool = argument;
    struct task task;
    while (take(pool, &task)) {
        task.run(task.argument);
        finish(pool);
    }
    return NULL;
}

/* Asks the first so many threads to end, and waits until they have. */
static void stop(struct pool *pool, size_t started)
{
    /* The flag is atomic, so nobody has to wait for the lock here. */
    atomic_store(&pool->stopping, true);
    pthread_cond_broadcast(&pool->work);
    for (size_t i = 0; i < started; i++)
        pthread_join(pool->threads[i], NULL);
}

static void release(struct pool *pool)
{
    free(pool->threads);
    queue_destroy(&pool->queue);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
}

int pool_init(struct pool *pool, size_t threads)
{
    if (threads == 0)
        return EINVAL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->idle, NULL);
    pool->count = threads;
    pool->busy = 0;
    pool->done = 0;
    atomic_init(&pool->stopping, false);
    bool has_queue = queue_init(&pool->queue, FIRST_CAPACITY);
    pool->threads = calloc(threads, sizeof *pool->threads);
    if (!has_queue || pool->threads == NULL) {
        release(pool);
        return ENOMEM;
    }
    for (size_t i = 0; i < threads; i++) {
        int error = pthread_create(&pool->threads[i], NULL, pool_worker, pool);
        if (error != 0) {
            stop(pool, i);
            release(pool);
            return error;
        }
    }
    return 0;
}

int pool_submit(struct pool *pool, void (*run)(void *argument), void *argument)
{
    int error = 0;
    pthread_mutex_lock(&pool->lock);
    if (atomic_load(&pool->stopping))
        error = ECANCELED;
    else if (!queue_push(&pool->queue, (struct task){run, argument}))
        error = ENOMEM;
    else
        pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    return error;
}

void pool_wait(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0 || !queue_is_empty(&pool->queue))
        pthread_cond_wait(&pool->idle, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

size_t pool_shutdown(struct pool *pool)
{
    stop(pool, pool->count);
    size_t done = pool->done;
    release(pool);
    return done;
}
