/* Loops that wait for another thread by reading, one test each. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag, other, tries;
static int counter;

static void pair(void *(*one)(void *), void *(*two)(void *))
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

static void raise_flag_for(void *(*waiter)(void *))
{
    pthread_t a;
    pthread_create(&a, NULL, waiter, NULL);
    atomic_store(&flag, 1);
    pthread_join(a, NULL);
}

static void *wait_for_flag(void *unused)
{
    while (!atomic_load(&flag))
        ; /* spins */
    return unused;
}

void test_flag(void)
{
    raise_flag_for(wait_for_flag);
}

static void *wait_politely(void *unused)
{
    while (!atomic_load(&flag))
        sched_yield();
    return unused;
}

void test_polite_flag(void)
{
    raise_flag_for(wait_politely);
}

/* A counter on the stack or in a register: every try is a step. */
static void *try_five_times(void *unused)
{
    for (int i = 0; i < 5; i++)
        if (atomic_load(&flag))
            break;
    return unused;
}

void test_bounded(void)
{
    raise_flag_for(try_five_times);
}

/* The same with a counter elsewhere. */
static void *try_four_times(void *unused)
{
    static int *tried = &counter;
    while (!atomic_load(&flag))
        if (++*tried == 4)
            break;
    return unused;
}

void test_bounded_in_memory(void)
{
    raise_flag_for(try_four_times);
}

static void *with_compare_exchange(void *unused)
{
    int expected = 0;
    while (!atomic_compare_exchange_strong(&flag, &expected, 1))
        expected = 0;
    counter++;
    atomic_store(&flag, 0);
    return unused;
}

void test_compare_exchange_lock(void)
{
    pair(with_compare_exchange, with_compare_exchange);
    assert(counter == 2);
}

static void *with_exchange(void *unused)
{
    while (atomic_exchange(&flag, 1))
        ;
    counter++;
    atomic_store(&flag, 0);
    return unused;
}

void test_exchange_lock(void)
{
    pair(with_exchange, with_exchange);
    assert(counter == 2);
}

static atomic_int next_ticket, serving;

static void *with_ticket(void *unused)
{
    int mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&serving) != mine)
        ;
    counter++;
    atomic_store(&serving, mine + 1);
    return unused;
}

void test_ticket_lock(void)
{
    pair(with_ticket, with_ticket);
    assert(counter == 2);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *with_trylock(void *unused)
{
    while (pthread_mutex_trylock(&mutex) != 0)
        ;
    counter++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

void test_trylock(void)
{
    pair(with_trylock, with_trylock);
    assert(counter == 2);
}

static void *wait_for_other(void *unused)
{
    while (!atomic_load(&other))
        ; /* T1 spins */
    atomic_store(&flag, 1);
    return unused;
}

static void *wait_then_tell_other(void *unused)
{
    while (!atomic_load(&flag))
        ; /* T2 spins */
    atomic_store(&other, 1);
    return unused;
}

void test_each_for_the_other(void)
{
    pair(wait_for_other, wait_then_tell_other);
}

static void *wait_for_either(void *unused)
{
    while (!atomic_load(&flag) && !atomic_load(&other))
        ; /* one of two */
    return unused;
}

void test_nobody_writes(void)
{
    pthread_t a;
    pthread_create(&a, NULL, wait_for_either, NULL);
    pthread_join(a, NULL);
}

static void *tell_other(void *unused)
{
    atomic_store(&other, 1);
    return unused;
}

void test_either(void)
{
    pair(wait_for_either, tell_other);
}

static void *count_polls(void *unused)
{
    while (!atomic_load(&flag)) { /* polls */
        atomic_fetch_add(&tries, 1);
        sched_yield();
    }
    return unused;
}

void test_goes_round(void)
{
    pthread_t a;
    pthread_create(&a, NULL, count_polls, NULL);
    pthread_join(a, NULL);
}

static void *raise_flag(void *unused)
{
    atomic_store(&flag, 1);
    return unused;
}

void test_goes_round_until_told(void)
{
    pair(count_polls, raise_flag);
}

void test_spins_after_main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, wait_for_flag, NULL);
}
