/* volatile objects used as if they synchronised. */
#include <assert.h>
#include <pthread.h>

static volatile int flag;
static volatile int turn[2];
static int data, count;
static volatile int guarded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *publish(void *unused)
{
    data = 7;
    flag = 1; /* sets */
    return unused;
}

void test_spins_until_told(void)
{
    pthread_t t;
    pthread_create(&t, 0, publish, 0);
    while (!flag) /* polls */
        ;
    assert(data == 7);
    pthread_join(t, 0);
}

static void *publish_early(void *unused)
{
    flag = 1; /* too early */
    data = 7; /* too late */
    return unused;
}

void test_told_too_early(void)
{
    pthread_t t;
    pthread_create(&t, 0, publish_early, 0);
    while (!flag)
        ;
    assert(data == 7); /* not yet */
    pthread_join(t, 0);
}

static void *nothing(void *unused)
{
    return unused;
}

void test_never_told(void)
{
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    while (!flag) /* for ever */
        ;
    pthread_join(t, 0);
}

static void *enters(void *number)
{
    int me = *(int *)number, other = 1 - me;
    turn[me] = 1;
    if (!turn[other]) /* looks */
        count++;      /* one at a time */
    return 0;
}

void test_flags_of_two(void)
{
    pthread_t t[2];
    int number[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, enters, &number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(count <= 1);
}

static void *counts(void *unused)
{
    pthread_mutex_lock(&lock);
    guarded++;
    pthread_mutex_unlock(&lock);
    return unused;
}

void test_under_a_lock(void)
{
    pthread_t t;
    pthread_create(&t, 0, counts, 0);
    counts(0);
    pthread_join(t, 0);
    assert(guarded == 2);
}

static void *adds(void *unused)
{
    guarded++; /* reads and writes */
    return unused;
}

void test_counts_by_volatile(void)
{
    pthread_t t;
    pthread_create(&t, 0, adds, 0);
    adds(0);
    pthread_join(t, 0);
    assert(guarded == 2); /* one may be lost */
}

static void *spends(void *unused)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
    return unused;
}

void test_a_busy_loop_of_its_own(void)
{
    pthread_t t;
    pthread_create(&t, 0, spends, 0);
    spends(0);
    pthread_join(t, 0);
}
