/* An error-checking mutex tells its holder that it has it already.
 * NORMAL: an ordinary one lets it wait for itself. */
#include "../suite.h"
#include <assert.h>
#include <errno.h>

static pthread_mutex_t lock;
static int counter;

static void *count(void *unused)
{
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == EDEADLK);
    counter++;
    assert(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
#ifdef NORMAL
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_NORMAL);
#else
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
#endif
    pthread_mutex_init(&lock, &kind);
    RUN(count, count);
    assert(counter == 2);
    return 0;
}
