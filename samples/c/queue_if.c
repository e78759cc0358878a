/* A queue of capacity 1 with two condition variables, one producer of two items, two consumers of
 * one item each.
 *
 * Wrong: `if` where `while` belongs. Between the signal and the moment the woken consumer has the
 * lock again, the other consumer may come and take the item.
 * Right: queue_if_fixed.c (`while`). */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int slot;
static int filled;
static int taken[2];

static void put(int item)
{
    pthread_mutex_lock(&lock);
    if (filled)
        pthread_cond_wait(&not_full, &lock);
    assert(!filled);
    slot = item;
    filled = 1;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    if (!filled)
        pthread_cond_wait(&not_empty, &lock);
    assert(filled);
    int item = slot;
    filled = 0;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *producer(void *unused)
{
    (void)unused;
    put(1);
    put(2);
    return NULL;
}

static void *consumer(void *into)
{
    *(int *)into = take();
    return NULL;
}

int main(void)
{
    pthread_t producing, consuming[2];
    pthread_create(&producing, NULL, producer, NULL);
    pthread_create(&consuming[0], NULL, consumer, &taken[0]);
    pthread_create(&consuming[1], NULL, consumer, &taken[1]);
    pthread_join(producing, NULL);
    pthread_join(consuming[0], NULL);
    pthread_join(consuming[1], NULL);
    assert(taken[0] + taken[1] == 3);
    return 0;
}
