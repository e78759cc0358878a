/* A number that somebody computes and others wait for. */
#ifndef FUTURE_H
#define FUTURE_H

#include <pthread.h>
#include <stdbool.h>

struct future {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool ready;
    long value;
};

void future_init(struct future *future);
void future_destroy(struct future *future);

/* Gives it its value, once. */
void future_set(struct future *future, long value);

/* The value; waits until there is one. */
long future_get(struct future *future);

#endif
