/* N threads and a lock of one word; one thread that awaits N counted increments. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag flag = ATOMIC_FLAG_INIT;
static atomic_int word, done;
static int n;

static void *test_and_set(void *unused)
{
    while (atomic_flag_test_and_set(&flag))
        ;
    n++;
    atomic_flag_clear(&flag);
    return unused;
}

static void *compare_exchange(void *unused)
{
    int free = 0;
    while (!atomic_compare_exchange_weak(&word, &free, 1))
        free = 0;
    n++;
    atomic_store(&word, 0);
    return unused;
}

/* A lock that a second thread can take, too: the word is looked at, and then set. */
static void *looks(void *unused)
{
    while (atomic_load(&word))
        ;
    atomic_store(&word, 1);
    int before = n;
    n = before + 1;
    atomic_store(&word, 0);
    return unused;
}

static void all(void *(*body)(void *))
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, body, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(n == N);
}

void test_flag(void)
{
    all(test_and_set);
}

void test_word(void)
{
    all(compare_exchange);
}

void test_no_lock(void)
{
    all(looks);
}

static void *counts(void *unused)
{
    for (int i = 0; i < N; i++)
        atomic_fetch_add(&done, 1);
    return unused;
}

void test_awaits(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, counts, 0);
    while (atomic_load(&done) != N)
        ;
    pthread_join(thread, 0);
}

void test_awaits_too_much(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, counts, 0);
    while (atomic_load(&done) != N + 1)
        ;
    pthread_join(thread, 0);
}

/* What was read in vain tells here: two values one after the other. */
void test_remembers(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, counts, 0);
    int before = -1, now = 0;
    while (now != N) {
        before = now;
        now = atomic_load(&done);
    }
    assert(before != N - 1);
    pthread_join(thread, 0);
}
