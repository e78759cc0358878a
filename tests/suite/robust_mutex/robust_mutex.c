/* A thread ends with a robust mutex. The next one is told, mends what it guards and says so.
 * SILENT: it does not say so, and the mutex cannot be used any more. STALLED: the mutex is not robust. */
#include "../suite.h"
#include <assert.h>
#include <errno.h>

static pthread_mutex_t lock;
static int halves[2];

static void *dies(void *unused)
{
    pthread_mutex_lock(&lock);
    halves[0] = 1;
    return unused;
}

static void *mends(void *unused)
{
    if (pthread_mutex_lock(&lock) == EOWNERDEAD) {
        halves[1] = 1;
#ifndef SILENT
        pthread_mutex_consistent(&lock);
#endif
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
#ifndef STALLED
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
#endif
    pthread_mutex_init(&lock, &kind);

    pthread_t first, second;
    pthread_create(&first, NULL, dies, NULL);
    pthread_join(first, NULL);
    pthread_create(&second, NULL, mends, NULL);
    pthread_join(second, NULL);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(halves[0] == halves[1]);
    return 0;
}
