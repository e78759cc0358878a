/* Two threads add to a counter twice each, under a mutex.
 * NO_LOCK: without it. SPLIT: reading and writing are two critical sections. */
#include "../suite.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void increment(void)
{
#if defined NO_LOCK
    counter++;
#elif defined SPLIT
    pthread_mutex_lock(&lock);
    int seen = counter;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    counter = seen + 1;
    pthread_mutex_unlock(&lock);
#else
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
#endif
}

static void *count(void *unused)
{
    increment();
    increment();
    return unused;
}

int main(void)
{
    RUN(count, count);
    assert(counter == 4);
    return 0;
}
