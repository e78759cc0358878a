/* Who uses it finds that it is not made yet and goes on without; the failure shows where nobody works with it any more. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int made;
static atomic_int used;

static void *makes(void *arg)
{
    atomic_store(&made, 1); // makes
    return arg;
}

static void *uses(void *arg)
{
    if (atomic_load(&made)) // looks
        atomic_store(&used, 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, makes, 0);
    pthread_create(&b, 0, uses, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(atomic_load(&used));
    return 0;
}
