/* The fixed form of livelock.c: both take `left` first, so whoever tries for `right` has to wait
 * for somebody who does not wait for it. */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static int meals;

static void eat(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    while (pthread_mutex_trylock(second) != 0)
        sched_yield();
    meals++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *left_first(void *unused)
{
    (void)unused;
    eat(&left, &right);
    return NULL;
}

static void *also_left_first(void *unused)
{
    (void)unused;
    eat(&left, &right);
    return NULL;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, left_first, NULL);
    pthread_create(&other, NULL, also_left_first, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return meals - 2;
}
