/* A thread's failure that can come before the end of the process, which END says. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int steps;

static void *f(void *x)
{
    for (int i = 0; i < 5; i++)
        steps++;
    assert(JOINED); /* fails */
    return x;
}

static void last(void) { steps += 100; }

int main(void)
{
    pthread_t t;
    (void)last;
#if END == 4
    at_quick_exit(last);
#endif
    pthread_create(&t, 0, f, 0);
#if JOINED
    pthread_join(t, 0);
#endif
#if END == 0
    exit(0);
#elif END == 1
    _exit(0);
#elif END == 2
    _Exit(0);
#elif END == 3
    abort();
#elif END == 4
    quick_exit(0);
#elif END == 5
    return 7;
#else
    return 0;
#endif
}
