// Locks behind pointers, taken in helpers that call each of them `lock`: each is called what the caller calls it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct queue {
    int n;
    pthread_mutex_t mutex;
};

static int shared;
static pthread_mutex_t *right;

static void do_take(pthread_mutex_t *lock) { pthread_mutex_lock(lock); }
static void take(pthread_mutex_t *lock) { do_take(lock); }
static void give(pthread_mutex_t *lock) { pthread_mutex_unlock(lock); }

static void *by_queue(void *arg)
{
    struct queue *q = arg;
    take(&q->mutex);
    shared++; // of the queue
    give(&q->mutex);
    return 0;
}

static void *by_global(void *unused)
{
    (void)unused;
    take(right);
    shared++; // of all
    give(right);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    struct queue *q = malloc(sizeof *q);
    right = malloc(sizeof *right);
    pthread_mutex_init(&q->mutex, 0);
    pthread_mutex_init(right, 0);
    pthread_create(&a, 0, by_queue, q);
    pthread_create(&b, 0, by_global, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
