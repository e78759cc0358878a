/* Trusted code in which a thread ends, the program is left, and threads are begun and waited for. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int steps;

static void *work(void *unused)
{
    atomic_fetch_add(&steps, 1);
    atomic_fetch_add(&steps, 1);
    return unused;
}

static void die(void)
{
    work(NULL);
    pthread_exit(NULL);
}

static void *dies(void *unused)
{
    die();
    return unused;
}

static void leave(void)
{
    if (atomic_load(&steps) == 2)
        exit(7);
}

static void *leaves(void *unused)
{
    leave();
    return unused;
}

static void both(void *(*one)(void *))
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, work, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

static void both_trusted(void)
{
    both(work);
}

void test_death(void)
{
    both(dies);
    assert(steps == 4);
}

void test_exit(void)
{
    both(leaves);
}

void test_join(void)
{
    both_trusted();
    assert(steps == 4);
}
