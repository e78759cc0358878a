/* A bounded queue of one place with threads.h: thrd_*, mtx_*, cnd_*. With -DBROKEN the consumer looks once, with `if`. */
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int full, item, taken;

static int produce(void *unused)
{
    (void)unused;
    mtx_lock(&lock);
    item = 7;
    full = 1;
    assert(cnd_signal(&changed) == thrd_success);
    mtx_unlock(&lock);
    return 3;
}

static int consume(void *unused)
{
    (void)unused;
    mtx_lock(&lock);
#ifdef BROKEN
    if (!full)
#else
    while (!full)
#endif
        cnd_wait(&changed, &lock);
    assert(full); /* the promise */
    full = 0;
    taken += item;
    mtx_unlock(&lock);
    thrd_exit(4);
}

int main(void)
{
    thrd_t p, c[2];
    int result;
    assert(mtx_init(&lock, mtx_plain) == thrd_success);
    assert(cnd_init(&changed) == thrd_success);
    assert(thrd_create(&c[0], consume, 0) == thrd_success);
    assert(thrd_create(&p, produce, 0) == thrd_success);
#ifdef BROKEN
    assert(thrd_create(&c[1], consume, 0) == thrd_success);
    thrd_detach(c[1]);
#endif
    assert(!thrd_equal(p, thrd_current()));
    assert(thrd_join(p, &result) == thrd_success && result == 3);
    assert(thrd_join(c[0], &result) == thrd_success && result == 4);
    assert(taken == 7);
    cnd_destroy(&changed);
    mtx_destroy(&lock);
    return 0;
}
