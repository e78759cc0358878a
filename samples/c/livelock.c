/* Two threads that try for each other's lock, politely, and never give way.
 *
 * Wrong: each keeps its own lock while it tries for the other's. `pthread_mutex_trylock` keeps them
 * from blocking and `sched_yield` lets the other run, and so both go round for ever: a livelock.
 * Right: livelock_fixed.c (one order for all). */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static int meals;

static void eat(pthread_mutex_t *own, pthread_mutex_t *other)
{
    pthread_mutex_lock(own);
    while (pthread_mutex_trylock(other) != 0)
        sched_yield();
    meals++;
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(own);
}

static void *left_first(void *unused)
{
    (void)unused;
    eat(&left, &right);
    return NULL;
}

static void *right_first(void *unused)
{
    (void)unused;
    eat(&right, &left);
    return NULL;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, left_first, NULL);
    pthread_create(&other, NULL, right_first, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return meals - 2;
}
