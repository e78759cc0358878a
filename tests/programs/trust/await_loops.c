/* Loops that take locks, or wait until a time is over, look, and do so again; one test each. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int ready;
static atomic_int flag;

static void with(void *(*one)(void *), void *(*two)(void *))
{
    pthread_t t;
    pthread_create(&t, NULL, one, NULL);
    two(NULL);
    pthread_join(t, NULL);
}

static int get(void)
{
    pthread_mutex_lock(&m);
    int value = ready;
    pthread_mutex_unlock(&m);
    return value;
}

static void *set(void *unused)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *poll_flag(void *unused)
{
    while (!get())
        ;
    return unused;
}

/* Two poll, and do not keep each other going. */
void test_two_poll(void)
{
    pthread_t t;
    pthread_create(&t, NULL, poll_flag, NULL);
    with(set, poll_flag);
    pthread_join(t, NULL);
}

void test_two_poll_for_ever(void)
{
    with(poll_flag, poll_flag);
}

static void *set_writing(void *unused)
{
    pthread_rwlock_wrlock(&rw);
    ready = 1;
    pthread_rwlock_unlock(&rw);
    return unused;
}

static void *poll_reading(void *unused)
{
    for (int seen = 0; !seen;) {
        pthread_rwlock_rdlock(&rw);
        seen = ready;
        pthread_rwlock_unlock(&rw);
    }
    return unused;
}

void test_read_lock(void)
{
    with(set_writing, poll_reading);
}

/* The loop takes n under m, the other m under n. */
static void *poll_nested(void *unused)
{
    for (int seen = 0; !seen;) {
        pthread_mutex_lock(&m);
        pthread_mutex_lock(&n);
        seen = ready;
        pthread_mutex_unlock(&n);
        pthread_mutex_unlock(&m);
    }
    return unused;
}

static void *set_nested(void *unused)
{
    pthread_mutex_lock(&n);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    return unused;
}

void test_lock_order(void)
{
    with(set_nested, poll_nested);
}

/* Each of the tries may find the mutex taken by the thread that polls. */
static void *tries(void *unused)
{
    int got = 0;
    for (int i = 0; i < 3; i++)
        if (pthread_mutex_trylock(&m) == 0) {
            got++;
            pthread_mutex_unlock(&m);
        }
    set(NULL);
    assert(got > 0);
    return unused;
}

void test_tries(void)
{
    with(tries, poll_flag);
}

/* A loop that counts its rounds is none that waits. */
void test_counted(void)
{
    pthread_t t;
    int rounds = 0;
    pthread_create(&t, NULL, set, NULL);
    while (!get() && rounds < 3)
        rounds++;
    assert(rounds < 3);
    pthread_join(t, NULL);
}

static struct timespec soon(void)
{
    struct timespec at = { 1, 0 };
    return at;
}

static void *wait_timed(void *unused)
{
    struct timespec at = soon();
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_timedwait(&changed, &m, &at);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *set_and_signal(void *unused)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *nothing(void *unused)
{
    return unused;
}

void test_timed_wait(void)
{
    with(set_and_signal, wait_timed);
}

/* Nobody signals: the wait times out, and finds it. */
void test_timed_wait_alone(void)
{
    with(set, wait_timed);
}

void test_timed_wait_for_ever(void)
{
    with(nothing, wait_timed);
}

static void *wait_for_sem(void *unused)
{
    struct timespec at = soon();
    while (!atomic_load(&flag))
        sem_timedwait(&sem, &at);
    return unused;
}

static void *raise_and_post(void *unused)
{
    atomic_store(&flag, 1);
    sem_post(&sem);
    return unused;
}

void test_timed_semaphore(void)
{
    sem_init(&sem, 0, 0);
    with(raise_and_post, wait_for_sem);
}
