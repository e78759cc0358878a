/* A pool of threads that carry out tasks in the order in which they were submitted. */
#ifndef POOL_H
#define POOL_H

#include "queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct pool {
    /* Guards the queue and the counts. */
    pthread_mutex_t lock;
    /* There is work, or there will be none any more. */
    pthread_cond_t work;
    /* Nothing waits and nobody works. */
    pthread_cond_t idle;
    struct queue queue;
    pthread_t *threads;
    size_t count;
    /* Threads that carry out a task. */
    size_t busy;
    /* Tasks that were carried out. */
    size_t done;
    /* The pool takes no more tasks, and its threads end when the queue is empty. */
    atomic_bool stopping;
};

/* Starts a pool with so many threads. An errno value, or 0. */
int pool_init(struct pool *pool, size_t threads);

/* Hands a task to the pool. An errno value, or 0. */
int pool_submit(struct pool *pool, void (*run)(void *argument), void *argument);

/* Waits until all that was submitted is done. */
void pool_wait(struct pool *pool);

/* Lets the threads finish what is in the queue, and ends them. Returns how many tasks were carried out. */
size_t pool_shutdown(struct pool *pool);

#endif
