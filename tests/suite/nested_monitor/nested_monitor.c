/* A monitor is used within another one: the outer lock is given back before the inner condition is waited for.
 * LOCKOUT: it is not, and whoever could make it true has to take it. */
#include "../suite.h"

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *taker(void *unused)
{
    pthread_mutex_lock(&outer);
#ifndef LOCKOUT
    pthread_mutex_unlock(&outer);
#endif
    pthread_mutex_lock(&inner);
    while (!items)
        pthread_cond_wait(&filled, &inner);
    items--;
    pthread_mutex_unlock(&inner);
#ifdef LOCKOUT
    pthread_mutex_unlock(&outer);
#endif
    return unused;
}

static void *giver(void *unused)
{
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return unused;
}

int main(void)
{
    RUN(taker, giver);
    return 0;
}
