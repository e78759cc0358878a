// Loops that never end (test_never_*), and loops close to them that do (test_ends_*).
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static atomic_int n, stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, plain;
static _Thread_local int local;
static sem_t permits;

static void joined(void *(*work)(void *)) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
}

static void *yields(void *unused) { for (;;) sched_yield(); return unused; }
void test_never_yields(void) { joined(yields); }

static void *nothing(void *unused) { return unused; }
void test_never_in_main(void) {
    joined(nothing);
    for (;;) thrd_yield();
}

static void *sleeps(void *unused) { for (;;) usleep(10); return unused; }
void test_never_sleeps(void) { joined(sleeps); }

static void *adds_and_subtracts(void *unused) {
    do atomic_fetch_add(&n, 1);
    while (atomic_fetch_sub(&n, 1) != 5);
    return unused;
}
void test_never_adds_and_subtracts(void) { joined(adds_and_subtracts); }

static void *sets_and_resets(void *unused) {
    while (!atomic_load(&stop)) {
        atomic_store(&n, 1);
        sched_yield();
        atomic_store(&n, 0);
    }
    return unused;
}
void test_never_sets_and_resets(void) { joined(sets_and_resets); }

void test_never_beside_a_waiting_thread(void) {
    pthread_t t;
    pthread_mutex_lock(&lock);
    pthread_create(&t, 0, yields, 0);
    for (;;) pthread_cond_wait(&changed, &lock);
}

static void *stops(void *unused) {
    atomic_store(&stop, 1);
    return unused;
}
void test_ends_by_another_thread(void) {
    pthread_t t;
    pthread_create(&t, 0, sets_and_resets, 0);
    stops(0);
    pthread_join(t, 0);
}

// One loop for each place that a count may lie in.
static void *counts(void *unused) {
    int *heap = calloc(1, sizeof *heap);
    atomic_int *mapped = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 1500; i++) sched_yield();
    while (atomic_fetch_add(&n, 1) < 1500) sched_yield();
    while (plain++ < 1500) sched_yield();
    while ((*heap)++ < 1500) sched_yield();
    while (local++ < 1500) sched_yield();
    while (atomic_fetch_add(mapped, 1) < 1500) sched_yield();
    while (sem_trywait(&permits) == 0) sched_yield();
    free(heap);
    return unused;
}
void test_ends_by_a_count(void) {
    sem_init(&permits, 0, 1500);
    joined(counts);
}

static void *waits_for_a_moment(void *unused) {
    struct timespec now;
    do {
        sched_yield();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_nsec < 1500000);
    return unused;
}
void test_ends_by_the_time(void) { joined(waits_for_a_moment); }

static void *reads_to_a_letter(void *unused) {
    FILE *file = fopen("letters", "r");
    while (fgetc(file) != 'x') sched_yield();
    fclose(file);
    while (rand() % 1000 != 7) sched_yield();
    return unused;
}
void test_ends_by_a_file(void) {
    FILE *file = fopen("letters", "w");
    for (int i = 0; i < 1500; i++) fputc('a', file);
    fputc('x', file);
    fclose(file);
    joined(reads_to_a_letter);
}

static void *times_out(void *unused) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec++;
    pthread_mutex_lock(&lock);
    pthread_cond_timedwait(&changed, &lock, &end);
    pthread_mutex_unlock(&lock);
    return stops(unused);
}
static void *yields_until_told(void *unused) {
    while (!atomic_load(&stop)) sched_yield();
    return unused;
}
void test_ends_by_a_time_out(void) {
    pthread_t t;
    pthread_create(&t, 0, times_out, 0);
    joined(yields_until_told);
    pthread_join(t, 0);
}

// Another process could end these. (They are cut off, which is no failure.)
static void *looks_for_a_file(void *unused) {
    while (access("nothing", F_OK) != 0) usleep(10);
    return unused;
}
void test_open_by_another_process(void) { joined(looks_for_a_file); }
void test_open_by_another_process_in_main(void) { looks_for_a_file(0); }

// The process ends beside this loop.
void test_ends_by_the_process(void) {
    pthread_t t;
    pthread_create(&t, 0, yields, 0);
}
