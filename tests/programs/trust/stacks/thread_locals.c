/* Thread-locals of threads that have ended, or may have, and what may be used. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Thread_local int number = 1;
static _Thread_local atomic_int counter;
static _Thread_local pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *numbers;
static atomic_int *_Atomic counters;
static pthread_mutex_t *mutexes;
static pthread_key_t key;

static void *lends(void *wait)
{
    numbers = &number;
    mutexes = &mutex;
    counters = &counter;
    if (wait)
        pthread_barrier_wait(wait);
    return NULL;
}

static void after(pthread_t thread)
{
    pthread_join(thread, NULL);
}

static pthread_t lender(void *wait)
{
    pthread_t thread;
    pthread_create(&thread, NULL, lends, wait);
    return thread;
}

void test_read(void) { after(lender(NULL)); assert(*numbers == 1); }
void test_write(void) { after(lender(NULL)); *numbers = 5; }
void test_lock(void) { after(lender(NULL)); pthread_mutex_lock(mutexes); }
void test_add(void) { after(lender(NULL)); atomic_fetch_add(counters, 1); }

void test_unjoined(void)
{
    pthread_t thread = lender(NULL);
    atomic_int *lent = counters;
    if (lent)
        atomic_store(lent, 2);
    after(thread);
}

static void last(void *n) { numbers = n; ++*numbers; }

static void *with_destructor(void *n)
{
    pthread_setspecific(key, &number);
    return n;
}

void test_behind_a_destructor(void)
{
    pthread_t thread;
    pthread_key_create(&key, last);
    pthread_create(&thread, NULL, with_destructor, NULL);
    after(thread);
    ++*numbers;
}

void test_lent_right(void)
{
    pthread_barrier_t wait;
    pthread_barrier_init(&wait, NULL, 2);
    pthread_t thread = lender(&wait);
    while (!counters)
        ;
    atomic_store(counters, 2);
    pthread_barrier_wait(&wait);
    after(thread);
    pthread_barrier_destroy(&wait);
}

static void *uses_own(void *n)
{
    number = 7;
    atomic_store(&counter, 2);
    pthread_mutex_lock(&mutex);
    number += counter;
    pthread_mutex_unlock(&mutex);
    assert(number == 9);
    return n;
}

void test_own_right(void)
{
    pthread_t first, second;
    uses_own(NULL);
    pthread_create(&first, NULL, uses_own, NULL);
    after(first);
    pthread_create(&second, NULL, uses_own, NULL);
    after(second);
    numbers = &number;
    *numbers = 3;
}

static int *_Atomic of_main;
static void *uses_of_main(void *n) { *of_main = 4; return n; }

void test_of_main_right(void)
{
    pthread_t thread;
    of_main = &number;
    pthread_create(&thread, NULL, uses_of_main, NULL);
    after(thread);
    assert(number == 4);
}
