/* A thread waits for a condition that another one makes true under the lock.
 * NO_PREDICATE: it waits without looking. UNLOCKED: the condition is an atomic that is set without the lock. */
#include "../suite.h"
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
#ifdef UNLOCKED
static atomic_int ready;
#else
static int ready;
#endif

static void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
#ifdef NO_PREDICATE
    pthread_cond_wait(&changed, &lock);
#else
    while (!ready)
        pthread_cond_wait(&changed, &lock);
#endif
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *setter(void *unused)
{
#ifdef UNLOCKED
    ready = 1;
    pthread_cond_signal(&changed);
#else
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
    RUN(waiter, setter);
    return 0;
}
