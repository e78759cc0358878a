// Tests for gaps that executions show: test_NAME does what the gap is about, and test_NAME_not does what is close to it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t permits;
static int ready;
static atomic_int flag;
static volatile int told;

// Runs both as threads.
static void both(void *(*one)(void *), void *(*other)(void *)) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}

static void *nothing(void *unused) { return unused; }

void test_formats(void) { printf("%2$d %1$d\n", 1, 2); }
void test_formats_not(void) { printf("%d %d\n", 1, 2); }

static void asks(void) {
    int ends[2];
    if (pipe(ends) != 0) return;
    struct pollfd asked = {ends[1], POLLOUT, 0};
    poll(&asked, 1, 0);
    close(ends[0]);
    close(ends[1]);
}
static void *asks_beside_others(void *unused) { asks(); return unused; }
void test_readiness(void) { both(asks_beside_others, nothing); }
void test_readiness_not(void) { asks(); both(nothing, nothing); }

static void *writes_log(void *unused) {
    int file = open("log", O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (write(file, "a", 1) != 1) abort();
    close(file);
    return unused;
}
static void *reads_log(void *unused) {
    char text[8];
    int file = open("log", O_RDONLY);
    if (file >= 0 && read(file, text, sizeof text) >= 0) close(file);
    return unused;
}
void test_file_orders(void) { both(writes_log, reads_log); }
void test_file_orders_not(void) { both(writes_log, nothing); }

void test_other_processes(void) {
    sem_close(sem_open("/gaps-of-raddle", O_CREAT, 0600, 1));
    sem_unlink("/gaps-of-raddle");
}
void test_other_processes_not(void) { sem_init(&permits, 0, 1); sem_wait(&permits); }

void test_standard_input(void) { getchar(); }
void test_standard_input_not(void) { fputs("", stdout); }

void test_large_blocks(void) { free(malloc(3ul << 30)); }
void test_large_blocks_not(void) { free(malloc(3ul << 20)); }

void test_random_numbers(void) { unsigned n; if (getrandom(&n, sizeof n, 0) < 0) abort(); }
void test_random_numbers_not(void) { srand(1); rand(); }

static void *names_itself(void *unused) { return gettid() > 0 ? unused : 0; }
static void *begets(void *unused) {
    pthread_t child;
    pthread_create(&child, 0, names_itself, 0);
    pthread_join(child, 0);
    return unused;
}
void test_thread_ids(void) { both(begets, begets); }
void test_thread_ids_not(void) { both(names_itself, names_itself); }

void test_clock(void) { struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now); }
void test_clock_not(void) { usleep(10); }

static void *notifies(void *unused) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *awaits(void *unused) {
    pthread_mutex_lock(&lock);
    while (!ready) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *posts(void *unused) { sem_post(&permits); return unused; }
static void *takes(void *unused) { sem_wait(&permits); return unused; }
void test_spurious_wakeups(void) { both(awaits, notifies); }
void test_spurious_wakeups_not(void) { sem_init(&permits, 0, 0); both(takes, posts); }

static void *exchanges_weakly(void *unused) {
    int old = atomic_load(&flag);
    while (!atomic_compare_exchange_weak(&flag, &old, old + 1)) {}
    return unused;
}
static void *exchanges(void *unused) {
    int old = atomic_load(&flag);
    while (!atomic_compare_exchange_strong(&flag, &old, old + 1)) {}
    return unused;
}
void test_spurious_failures(void) { both(exchanges_weakly, nothing); }
void test_spurious_failures_not(void) { both(exchanges, nothing); }

static void *stores_weakly(void *unused) {
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}
static void *stores(void *unused) { atomic_store(&flag, 1); return unused; }
void test_sequential_consistency(void) { both(stores_weakly, nothing); }
void test_sequential_consistency_not(void) { both(stores, nothing); }

static void *tells(void *unused) { told = 1; return unused; }
static void *looks(void *unused) { return told ? unused : 0; }
static void *tells_under_a_lock(void *unused) {
    pthread_mutex_lock(&lock);
    told = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
void test_volatile(void) { both(tells, looks); }
void test_volatile_not(void) { both(tells_under_a_lock, tells_under_a_lock); }

static atomic_int tries;
static void *tries_and_yields(void *unused) {
    while (!atomic_load(&flag)) {
        atomic_fetch_add(&tries, 1);
        sched_yield();
    }
    return unused;
}
static void *yields(void *unused) {
    while (!atomic_load(&flag)) sched_yield();
    return unused;
}
void test_fairness(void) { both(tries_and_yields, stores); }
void test_fairness_not(void) { both(yields, stores); }

static void *never_ends(void *unused) {
    for (;;) {
        atomic_fetch_add(&tries, 1);
        sched_yield();
    }
    return unused;
}
static void *ends(void *unused) { atomic_fetch_add(&tries, 1); sched_yield(); return unused; }
void test_process_end(void) { pthread_t t; pthread_create(&t, 0, never_ends, 0); }
void test_process_end_not(void) { pthread_t t; pthread_create(&t, 0, ends, 0); }

static void *allocates(void *unused) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        free(malloc(16));
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
static void *locks(void *unused) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        ready++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
static void three(void *(*work)(void *)) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    both(work, work);
    pthread_join(t, 0);
}
void test_reused_blocks(void) { three(allocates); }
void test_reused_blocks_not(void) { three(locks); }

void test_inputs(void) { if (__VERIFIER_nondet_int()) ready = 1; }
void test_inputs_not(void) { if (__VERIFIER_nondet_bool()) ready = 1; }
