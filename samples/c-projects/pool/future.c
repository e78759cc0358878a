#include "future.h"

#include <assert.h>

void future_init(struct future *future)
{
    pthread_mutex_init(&future->lock, NULL);
    pthread_cond_init(&future->changed, NULL);
    future->ready = false;
    future->value = 0;
}

void future_destroy(struct future *future)
{
    pthread_cond_destroy(&future->changed);
    pthread_mutex_destroy(&future->lock);
}

void future_set(struct future *future, long value)
{
    pthread_mutex_lock(&future->lock);
    assert(!future->ready);
    future->value = value;
    future->ready = true;
    pthread_cond_broadcast(&future->changed);
    pthread_mutex_unlock(&future->lock);
}

long future_get(struct future *future)
{
    pthread_mutex_lock(&future->lock);
    while (!future->ready)
        pthread_cond_wait(&future->changed, &future->lock);
    long value = future->value;
    pthread_mutex_unlock(&future->lock);
    return value;
}
