/* Two loads by one line, in two calls or (-DROUNDS) in two rounds: no line is what should be one step. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int a;

static void *work(void *unused)
{
    a = 1;
    return unused;
}

static int get(void) { return a; }

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
#ifdef ROUNDS
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += a;
    assert(sum != 1 && get() >= 0);
#else
    assert(get() == get());
#endif
    pthread_join(t, NULL);
    return 0;
}
