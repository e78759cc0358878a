/* Random numbers are the same in every execution, and clocks are virtual. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static unsigned long all;
static _Atomic int turns;

static void mix(unsigned long n)
{
    all = all * 31 + n;
}

static void draw(void)
{
    mix(rand());
    srand(7);
    mix(rand());
    mix(random());
    unsigned seed = 5;
    mix(rand_r(&seed));
    mix(lrand48());
    srand48(3);
    mix(mrand48());
    mix((unsigned long)(drand48() * 1e9));
}

static void *turn(void *unused)
{
    turns++;
    return unused;
}

/* Says what it has drawn: the test compares executions. */
void test_draws(void)
{
    pthread_t t;
    pthread_create(&t, 0, turn, 0);
    draw();
    turns++;
    pthread_join(t, 0);
    printf("drew %lx\n", all);
    assert(all != 0);
}

/* Known values of POSIX's formula. */
void test_the_formula(void)
{
    srand48(1);
    assert(lrand48() == 89400484);
    assert(lrand48() == 976015093);
}

static int drawn;

static void *draw_one(void *unused)
{
    drawn = rand();
    return unused;
}

/* One row of numbers for all threads, and libc's own: a seed gives what it gives without Raddle, and nobody's seed is 1. */
void test_the_row_of_the_process(void)
{
    pthread_t t;
    assert(rand() == 1804289383);
    srand(1);
    assert(rand() == 1804289383 && random() == 846930886);
    srand(7);
    int first = rand();
    srandom(7);
    pthread_create(&t, 0, draw_one, 0);
    pthread_join(t, 0);
    assert(drawn == first);
}

static double half;
static int shared;

static void *draw_half(void *unused)
{
    half = drand48();
    return unused;
}

void test_order_of_rand(void)
{
    pthread_t t;
    pthread_create(&t, 0, draw_one, 0);
    int mine = rand();
    pthread_join(t, 0);
    assert(mine == 1804289383);
}

void test_order_of_drand48(void)
{
    pthread_t t;
    srand48(1);
    pthread_create(&t, 0, draw_half, 0);
    double mine = drand48();
    pthread_join(t, 0);
    assert(mine < half);
}

void test_two_draws(void)
{
    pthread_t t;
    pthread_create(&t, 0, draw_one, 0);
    rand();
    pthread_join(t, 0);
}

static void *sets_and_draws(void *unused)
{
    shared = 1;
    rand();
    return unused;
}

void test_draws_order_nothing(void)
{
    pthread_t t;
    pthread_create(&t, 0, sets_and_draws, 0);
    rand();
    drawn = shared;
    pthread_join(t, 0);
}

void test_clocks(void)
{
    pthread_t t;
    struct timespec a, b;
    struct timeval v, w;
    pthread_create(&t, 0, turn, 0);
    clock_gettime(CLOCK_MONOTONIC, &a);
    usleep(1500000);
    clock_gettime(CLOCK_MONOTONIC, &b);
    assert((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec >= 1500000000);
    time_t before = time(0);
    gettimeofday(&v, 0);
    sleep(3600);
    assert(time(0) >= before + 3600);
    nanosleep(&(struct timespec){.tv_sec = 100}, 0);
    gettimeofday(&w, 0);
    assert(w.tv_sec >= v.tv_sec + 3700);
    sched_yield();
    pthread_join(t, 0);
}
