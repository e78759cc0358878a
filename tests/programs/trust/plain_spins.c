/* Loops that wait for plain memory, and others that read it again and again and get on. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif

static int ready, steady, asked, given;
static atomic_int safe;
static int table[16];

static void *sets(void *unused)
{
    ready = 1;
    return unused;
}

static void *sets_both(void *unused)
{
    steady = 1;
    ready = 1;
    return unused;
}

static void *sets_safely(void *unused)
{
    atomic_store(&safe, 1);
    return unused;
}

static int is_set(const int *flag)
{
    return *flag;
}

static void *gives(void *unused)
{
    while (!asked)
        ;
    given = 1;
    return unused;
}

static void *adds(void *sum)
{
    int total = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 16; i++)
            total += table[i];
    *(int *)sum = total;
    return 0;
}

static void begins(pthread_t *thread, void *(*does)(void *), void *argument)
{
    pthread_create(thread, 0, does, argument);
}

void test_one(void)
{
    pthread_t thread;
    begins(&thread, sets, 0);
    while (!ready)
        ;
    pthread_join(thread, 0);
}

void test_two_variables(void)
{
    pthread_t thread;
    begins(&thread, sets_both, 0);
    while (!ready || !steady)
        ;
    pthread_join(thread, 0);
}

void test_in_a_function(void)
{
    pthread_t thread;
    begins(&thread, sets, 0);
    while (!is_set(&ready))
        ;
    pthread_join(thread, 0);
}

void test_each_for_the_other(void)
{
    pthread_t thread;
    begins(&thread, gives, 0);
    asked = 1;
    while (!given)
        ;
    pthread_join(thread, 0);
}

void test_for_ever(void)
{
    pthread_t thread;
    begins(&thread, sets_safely, 0);
    while (!ready)
        ;
    pthread_join(thread, 0);
}

void test_atomic_right(void)
{
    pthread_t thread;
    begins(&thread, sets_safely, 0);
    while (!atomic_load(&safe))
        ;
    pthread_join(thread, 0);
}

void test_adds_right(void)
{
    int sums[2];
    pthread_t threads[2];
    begins(&threads[0], adds, &sums[0]);
    begins(&threads[1], adds, &sums[1]);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(sums[0] == sums[1]);
}

/* Its loop changes a register between two comparisons, for a tenth of a second. */
void test_computes_right(void)
{
    long left = 300000000;
    __asm__ volatile("1: cmp %0, %0\n dec %0\n test %0, %0\n jnz 1b" : "+r"(left) : : "cc");
    assert(left == 0);
}
