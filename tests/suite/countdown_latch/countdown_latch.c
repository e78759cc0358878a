/* One waits until two others have counted down.
 * UNLOCKED: they count and wake without the lock. */
#include "../suite.h"
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
#ifdef UNLOCKED
static atomic_int missing = 2;
#else
static int missing = 2;
#endif

static void *await(void *unused)
{
    pthread_mutex_lock(&lock);
    while (missing > 0)
        pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *count_down(void *unused)
{
#ifdef UNLOCKED
    if (--missing == 0)
        pthread_cond_broadcast(&done);
#else
    pthread_mutex_lock(&lock);
    if (--missing == 0)
        pthread_cond_broadcast(&done);
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
    RUN(await, count_down, count_down);
    return 0;
}
