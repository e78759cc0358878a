/* Wrong: one of two takes the lock, the other does not. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int n;

static void *locked(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    int v = atomic_load(&n);
    atomic_store(&n, v + 1);
    pthread_mutex_unlock(&m);
    return 0;
}

static void *unlocked(void *unused)
{
    (void)unused;
    atomic_fetch_add(&n, 1);
    return 0;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, locked, 0);
    pthread_create(&t[1], 0, unlocked, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    assert(atomic_load(&n) == 2);
    return 0;
}
