/* What one thread changes in two steps another one looks at in between: a lock helps only if both take it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int low, high;

static void *moves(void *arg)
{
    atomic_store(&low, 1); // first
    atomic_store(&high, 1); // second
    return arg;
}

static void *looks(void *arg)
{
    int l = atomic_load(&low); // one look
    int h = atomic_load(&high); // another look
    assert(l == h);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, moves, 0);
    pthread_create(&b, 0, looks, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
