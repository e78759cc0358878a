/* A thread holds a lock while it works, and gives it back itself.
 * OTHER: main takes it, and the thread gives it back to say that it is ready. */
#include "../suite.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *work(void *unused)
{
#ifndef OTHER
    pthread_mutex_lock(&lock);
#endif
    result = 42;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef OTHER
    pthread_mutex_lock(&lock);
#endif
    pthread_create(&thread, NULL, work, NULL);
#ifndef OTHER
    pthread_mutex_lock(&lock);
    int seen = result;
    pthread_mutex_unlock(&lock);
    assert(seen == 0 || seen == 42);
#endif
    pthread_join(thread, NULL);
    return 0;
}
