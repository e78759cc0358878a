/* One thread works under a lock, the other only if it gets it at once.
 * IGNORED: it works all the same where it does not. */
#include "../suite.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *patient(void *unused)
{
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *hasty(void *unused)
{
    int held = pthread_mutex_trylock(&lock) == 0;
#ifdef IGNORED
    done++;
#else
    if (held)
        done++;
#endif
    if (held)
        pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(patient, hasty);
    assert(done == 1 || done == 2);
    return 0;
}
