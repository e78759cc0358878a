/* A thread ends in the middle of its critical section; a cleanup handler gives the lock back.
 * NO_HANDLER: nobody does. */
#include "../suite.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void give_back(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void section(void)
{
    pthread_mutex_lock(&lock);
#ifdef NO_HANDLER
    counter++;
    pthread_exit(NULL);
#else
    pthread_cleanup_push(give_back, &lock);
    counter++;
    pthread_exit(NULL);
    pthread_cleanup_pop(1);
#endif
}

static void *work(void *unused)
{
    section();
    return unused;
}

int main(void)
{
    RUN(work, work);
    assert(counter == 2);
    return 0;
}
