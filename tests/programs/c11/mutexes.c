/* What the functions of threads.h return, and what they must not be used for. */
#include <assert.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static int sum;

static int tries(void *unused)
{
    (void)unused;
    int got = mtx_trylock(&lock);
    assert(got == thrd_success || got == thrd_busy);
    if (got == thrd_success) {
        sum++;
        mtx_unlock(&lock);
    }
    return got;
}

void test_trylock_has_both_outcomes(void)
{
    thrd_t t;
    int got;
    mtx_init(&lock, mtx_plain);
    thrd_create(&t, tries, 0);
    mtx_lock(&lock);
    sum++;
    mtx_unlock(&lock);
    thrd_join(t, &got);
    assert(got == thrd_success); /* not where main holds it */
}

void test_recursive(void)
{
    mtx_t own;
    mtx_init(&own, mtx_plain | mtx_recursive);
    assert(mtx_lock(&own) == thrd_success);
    assert(mtx_lock(&own) == thrd_success);
    assert(mtx_trylock(&own) == thrd_success);
    for (int i = 0; i < 3; i++)
        assert(mtx_unlock(&own) == thrd_success);
    mtx_destroy(&own);
}

static int forgets(void *unused)
{
    (void)unused;
    mtx_lock(&lock);
    return 0; /* and keeps it */
}

void test_a_lock_that_is_kept(void)
{
    thrd_t t;
    mtx_init(&lock, mtx_plain);
    thrd_create(&t, forgets, 0);
    thrd_join(t, 0);
    mtx_lock(&lock); /* for good */
}

void test_another_one_gives_it_back(void)
{
    thrd_t t;
    mtx_init(&lock, mtx_plain);
    thrd_create(&t, forgets, 0);
    thrd_join(t, 0);
    mtx_unlock(&lock); /* not the holder */
}

static int waits_for_it(void *unused)
{
    struct timespec soon;
    (void)unused;
    timespec_get(&soon, TIME_UTC);
    soon.tv_sec += 1;
    return mtx_timedlock(&lock, &soon);
}

static int nothing(void *unused)
{
    (void)unused;
    return 0;
}

void test_a_wait_with_an_end(void)
{
    cnd_t never;
    thrd_t t;
    struct timespec now, then, before = {0, 0};
    mtx_init(&lock, mtx_timed);
    cnd_init(&never);
    thrd_create(&t, nothing, 0);
    assert(timespec_get(&now, TIME_UTC) == TIME_UTC);
    then = now;
    then.tv_sec += 10;
    mtx_lock(&lock);
    assert(cnd_timedwait(&never, &lock, &then) == thrd_timedout);
    thrd_t waits;
    int got;
    thrd_create(&waits, waits_for_it, 0);
    thrd_join(waits, &got); /* main holds it as long */
    assert(got == thrd_timedout);
    mtx_unlock(&lock);
    timespec_get(&before, TIME_UTC);
    assert(before.tv_sec >= then.tv_sec);
    assert(thrd_sleep(&(struct timespec){.tv_sec = 5}, 0) == 0);
    timespec_get(&now, TIME_UTC);
    assert(now.tv_sec >= before.tv_sec + 5);
    thrd_yield();
    thrd_join(t, 0);
}
