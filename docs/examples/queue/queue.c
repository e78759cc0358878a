#include "queue.h"

void queue_init(struct queue *q) {
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->filled, NULL);
    q->count = 0;
}

void queue_put(struct queue *q, int item) {
    pthread_mutex_lock(&q->lock);
    q->items[q->count++] = item;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

int queue_take(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    if (q->count == 0)
        pthread_cond_wait(&q->filled, &q->lock);
    int item = q->items[--q->count];
    pthread_mutex_unlock(&q->lock);
    return item;
}
