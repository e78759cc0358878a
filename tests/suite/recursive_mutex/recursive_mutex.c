/* A function that holds the lock calls another one that takes it too: the mutex is recursive.
 * NORMAL: it is not. */
#include "../suite.h"
#include <assert.h>

static pthread_mutex_t lock;
static int entries;

static void inner(void)
{
    pthread_mutex_lock(&lock);
    entries++;
    pthread_mutex_unlock(&lock);
}

static void *outer(void *unused)
{
    pthread_mutex_lock(&lock);
    entries++;
    inner();
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
#ifdef NORMAL
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_NORMAL);
#else
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
#endif
    pthread_mutex_init(&lock, &kind);
    RUN(outer, outer);
    assert(entries == 4);
    return 0;
}
