/* A C11 thread waits for what another one makes true.
 * IF_LATE: the other one signals before it makes it true, without the lock. */
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static atomic_int ready;

static int await(void *unused)
{
    (void)unused;
    mtx_lock(&lock);
    while (!ready)
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    return 42;
}

static int set(void *unused)
{
    (void)unused;
#ifdef IF_LATE
    cnd_signal(&changed);
    ready = 1;
#else
    mtx_lock(&lock);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
#endif
    return 0;
}

int main(void)
{
    thrd_t first, second;
    int result;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_create(&first, await, NULL);
    thrd_create(&second, set, NULL);
    thrd_join(first, &result);
    thrd_join(second, NULL);
    assert(result == 42);
    return 0;
}
