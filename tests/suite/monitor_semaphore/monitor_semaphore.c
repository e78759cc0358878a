/* A semaphore made of a lock and a condition variable; one thread posts twice, two wait.
 * FROM_ZERO: a post signals only where the count was zero. */
#include "../suite.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t positive = PTHREAD_COND_INITIALIZER;
static int count;

static void *down(void *unused)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&positive, &lock);
    count--;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void up(void)
{
    pthread_mutex_lock(&lock);
#ifdef FROM_ZERO
    if (count == 0)
#endif
        pthread_cond_signal(&positive);
    count++;
    pthread_mutex_unlock(&lock);
}

static void *up_twice(void *unused)
{
    up();
    up();
    return unused;
}

int main(void)
{
    RUN(down, down, up_twice);
    return 0;
}
