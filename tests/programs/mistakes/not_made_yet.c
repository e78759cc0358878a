/* Wrong: main uses what a thread makes, and does not wait until it has begun. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static _Atomic(int *) made;
static int value;

static void *make(void *unused)
{
    (void)unused;
    atomic_store(&made, &value);
    atomic_store(&ready, 1);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, make, 0);
    if (!atomic_load(&ready))
        assert(atomic_load(&made));
    pthread_join(t, 0);
    return 0;
}
