/* A queue of tasks, first in, first out. It has no lock: its owner has one. */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdbool.h>
#include <stddef.h>

/* Something to be done: a function and what it is given. */
struct task {
    void (*run)(void *argument);
    void *argument;
};

/* A ring that grows. */
struct queue {
    struct task *tasks;
    size_t capacity;
    size_t first;
    size_t length;
};

/* An empty queue with room for so many tasks before it has to grow. False without memory. */
bool queue_init(struct queue *queue, size_t capacity);

/* Gives the memory back; what waits is forgotten. */
void queue_destroy(struct queue *queue);

bool queue_is_empty(const struct queue *queue);

/* Appends a task. False without memory: the queue is as it was. */
bool queue_push(struct queue *queue, struct task task);

/* Takes the first task. False if there is none. */
bool queue_pop(struct queue *queue, struct task *task);

#endif
