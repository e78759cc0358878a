// What the `if` judged by is something else by the time that the assertion fails; with -DAS_IT_WAS it is not.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x;

static void *work(void *unused)
{
    x = 1;
    return unused;
}

int main(void)
{
    pthread_t t;
    int n;
    pthread_create(&t, NULL, work, NULL);
    n = x;
#ifdef AS_IT_WAS
    if (n == 1) {
        puts("bad");
        assert(0);
    }
#else
    if (n == 1) {
        n = 0;
        puts("bad");
        assert(0);
    }
#endif
    pthread_join(t, NULL);
    return 0;
}
