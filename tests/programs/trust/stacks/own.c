/* A thread uses locals of functions that it has returned from; and it uses locals that are still there, however deep it
 * stands. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

struct all {
    int plain;
    atomic_int counter;
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_rwlock_t rwlock;
    sem_t semaphore;
    char text[32];
    /* Functions that are called later take the place above. */
    char above[256];
};
static struct all *volatile left;

APART static void uses_nothing(struct all *all)
{
    left = all;
}

APART static void owner(void)
{
    struct all all = {1, 2, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
    sem_init(&all.semaphore, 0, 1);
    uses_nothing(&all);
}

static char copy[32];
static volatile int seen;
static void reads(void) { seen = left->plain; }
static void writes(void) { left->plain = 3; }
static void loads(void) { seen = atomic_load(&left->counter); }
static void adds(void) { atomic_fetch_add_explicit(&left->counter, 1, memory_order_relaxed); }
static void locks(void) { pthread_mutex_lock(&left->mutex); }
static void tries(void) { pthread_mutex_trylock(&left->mutex); }
static void signals(void) { pthread_cond_signal(&left->cond); }
static void shares(void) { pthread_rwlock_rdlock(&left->rwlock); }
static void posts(void) { sem_post(&left->semaphore); }
static void copies(void) { memcpy(copy, left->text, sizeof copy); }
static void fills(void) { memset(left->text, 1, 32); }
static void measures(void) { seen = (int)strlen(left->text); }

static void *nothing(void *n) { return n; }

static void *body(void *use)
{
    owner();
    ((void (*)(void))use)();
    return NULL;
}

/* By the first thread while it is alone, beside another one, and by another one. */
static void by_each(void (*use)(void), int who)
{
    pthread_t thread;
    if (who == 0) {
        body(use);
    } else if (who == 1) {
        pthread_create(&thread, NULL, nothing, NULL);
        body(use);
        pthread_join(thread, NULL);
    } else {
        pthread_create(&thread, NULL, body, use);
        pthread_join(thread, NULL);
    }
}

void test_alone_reads(void) { by_each(reads, 0); }
void test_alone_writes(void) { by_each(writes, 0); }
void test_alone_loads(void) { by_each(loads, 0); }
void test_alone_adds(void) { by_each(adds, 0); }
void test_alone_locks(void) { by_each(locks, 0); }
void test_alone_tries(void) { by_each(tries, 0); }
void test_alone_signals(void) { by_each(signals, 0); }
void test_alone_shares(void) { by_each(shares, 0); }
void test_alone_posts(void) { by_each(posts, 0); }
void test_alone_copies(void) { by_each(copies, 0); }
void test_alone_fills(void) { by_each(fills, 0); }
void test_alone_measures(void) { by_each(measures, 0); }
void test_beside_reads(void) { by_each(reads, 1); }
void test_beside_writes(void) { by_each(writes, 1); }
void test_beside_loads(void) { by_each(loads, 1); }
void test_beside_adds(void) { by_each(adds, 1); }
void test_beside_locks(void) { by_each(locks, 1); }
void test_beside_tries(void) { by_each(tries, 1); }
void test_beside_signals(void) { by_each(signals, 1); }
void test_beside_shares(void) { by_each(shares, 1); }
void test_beside_posts(void) { by_each(posts, 1); }
void test_beside_copies(void) { by_each(copies, 1); }
void test_beside_fills(void) { by_each(fills, 1); }
void test_beside_measures(void) { by_each(measures, 1); }
void test_other_reads(void) { by_each(reads, 2); }
void test_other_writes(void) { by_each(writes, 2); }
void test_other_loads(void) { by_each(loads, 2); }
void test_other_adds(void) { by_each(adds, 2); }
void test_other_locks(void) { by_each(locks, 2); }
void test_other_tries(void) { by_each(tries, 2); }
void test_other_signals(void) { by_each(signals, 2); }
void test_other_shares(void) { by_each(shares, 2); }
void test_other_posts(void) { by_each(posts, 2); }
void test_other_copies(void) { by_each(copies, 2); }
void test_other_fills(void) { by_each(fills, 2); }
void test_other_measures(void) { by_each(measures, 2); }

/* The place was written by another function since. */
APART static int deep(int n)
{
    volatile int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = n;
    return a[7];
}

static void *behind(void *n)
{
    owner();
    seen = deep(3);
    left->plain = 4;
    return n;
}

void test_behind_another_function(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, behind, NULL);
    pthread_join(thread, NULL);
}

/* A function is left by a jump. */
static jmp_buf out;
APART static void jumps(struct all *all)
{
    left = all;
    longjmp(out, 1);
}

APART static void jumped_out_of(void)
{
    struct all all = {1};
    jumps(&all);
}

static void *after_a_jump(void *n)
{
    if (setjmp(out) == 0)
        jumped_out_of();
    left->plain++;
    return n;
}

void test_after_a_jump(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, after_a_jump, NULL);
    pthread_join(thread, NULL);
}

/* Locals that are still there. */
APART static void uses(struct all *all, int depth)
{
    if (depth > 0) {
        struct all own = *all;
        uses(&own, depth - 1);
        all->plain += own.plain;
        return;
    }
    pthread_mutex_lock(&all->mutex);
    atomic_fetch_add(&all->counter, all->plain++);
    memset(all->text, 1, sizeof all->text);
    pthread_mutex_unlock(&all->mutex);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

APART static int sum(int count, ...)
{
    va_list list, twice;
    int all = 0;
    va_start(list, count);
    va_copy(twice, list);
    for (int i = 0; i < count; i++)
        all += va_arg(list, int) + va_arg(twice, int);
    va_end(list);
    va_end(twice);
    return all;
}

APART static struct all made(int n)
{
    struct all all = {n, n};
    return all;
}

static struct all *volatile interrupted;
static void handler(int signal)
{
    int own = signal;
    interrupted->plain += own - signal + 1;
}

static void *each_kind(void *nothing)
{
    struct all all = {1, 2, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
    uses(&all, 3);
    int size = 10 + (int)strlen("text"), numbers[size], *more = __builtin_alloca(sizeof(int) * 20);
    for (int i = 0; i < size; i++)
        numbers[i] = more[i] = size - i;
    qsort(numbers, size, sizeof *numbers, compare);
    int *found = bsearch(&more[3], numbers, size, sizeof *numbers, compare);
    assert(found && *found == more[3] && sum(3, numbers[0], numbers[1], numbers[2]) == 12);
    struct all other = made(5);
    other.plain += made(6).counter;
    jmp_buf here;
    volatile int rounds = 0;
    if (setjmp(here) < 3) {
        all.plain += ++rounds;
        longjmp(here, rounds);
    }
    int inner(int n) { return n + all.plain + rounds; }
    assert(inner(1) > 0);
    interrupted = &all;
    raise(SIGUSR1);
    for (int i = 0; i < 3; i++) {
        struct all block = {i};
        uses(&block, i);
    }
    return nothing;
}

void test_what_is_there_right(void)
{
    pthread_t thread;
    signal(SIGUSR1, handler);
    each_kind(NULL);
    pthread_create(&thread, NULL, each_kind, NULL);
    pthread_join(thread, NULL);
}
