/* Main waits for a thread and reads its result.
 * EARLY: it reads it before. TWICE: it waits twice. */
#include "../suite.h"
#include <assert.h>

static int result;

static void *compute(void *unused)
{
    result = 42;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
#ifdef EARLY
    int seen = result;
    pthread_join(thread, NULL);
    assert(seen == 0 || seen == 42);
#else
    pthread_join(thread, NULL);
    assert(result == 42);
#endif
#ifdef TWICE
    pthread_join(thread, NULL);
#endif
    return 0;
}
