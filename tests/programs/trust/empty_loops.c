/* Threads in loops of which an optimiser leaves nothing: beside an assertion, beside a race that has nothing to do with it, and behind
   main's return, while main writes to the looping thread's stack. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int ready, counted;
static _Atomic(int *) shared;

static void begins(void *(*one)(void *), void *(*other)(void *))
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, one, 0);
    pthread_create(&threads[1], 0, other, 0);
    pthread_join(threads[0], 0);
}

static void *waits(void *unused)
{
    while (!ready)
        ;
    return unused;
}

static void *fails(void *unused)
{
    assert(!"failed");
    return unused;
}

static void *counts(void *unused)
{
    counted++;
    return unused;
}

static void *counts_and_loops(void *unused)
{
    counted++;
    for (;;)
        ;
    return unused;
}

void test_fails_beside(void)
{
    begins(waits, fails);
}

void test_races_beside(void)
{
    begins(counts_and_loops, counts);
}

__attribute__((noinline)) static void deep(void)
{
    int value = 0;
    char room[4096];
    __asm__ volatile("" : : "r"(room), "r"(&value) : "memory");
    shared = &value;
    for (;;)
        ;
}

static void *shares(void *unused)
{
    deep();
    return unused;
}

void test_stack_right(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, shares, 0);
    while (!shared)
        ;
    *shared = 1;
}
