#include "queue.h"

#include <stdlib.h>

bool queue_init(struct queue *queue, size_t capacity)
{
    if (capacity == 0)
        capacity = 1;
    queue->tasks = malloc(capacity * sizeof *queue->tasks);
    queue->capacity = capacity;
    queue->first = 0;
    queue->length = 0;
    return queue->tasks != NULL;
}

void queue_destroy(struct queue *queue)
{
    free(queue->tasks);
    queue->tasks = NULL;
    queue->capacity = 0;
    queue->length = 0;
}

bool queue_is_empty(const struct queue *queue)
{
    return queue->length == 0;
}

/* Moves everything to a ring of twice the size, the first task to its beginning. */
static bool grow(struct queue *queue)
{
    size_t capacity = queue->capacity * 2;
    struct task *tasks = malloc(capacity * sizeof *tasks);
    if (tasks == NULL)
        return false;
    for (size_t i = 0; i < queue->length; i++)
        tasks[i] = queue->tasks[(queue->first + i) % queue->capacity];
    free(queue->tasks);
    queue->tasks = tasks;
    queue->capacity = capacity;
    queue->first = 0;
    return true;
}

bool queue_push(struct queue *queue, struct task task)
{
    if (queue->length == queue->capacity && !grow(queue))
        return false;
    queue->tasks[(queue->first + queue->length) % queue->capacity] = task;
    queue->length++;
    return true;
}

bool queue_pop(struct queue *queue, struct task *task)
{
    if (queue->length == 0)
        return false;
    *task = queue->tasks[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    queue->length--;
    return true;
}
