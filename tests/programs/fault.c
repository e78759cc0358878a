/* Ends badly in one interleaving only: where `check` is preempted between its two loads. FAULT
 * says how. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef FAULT
#define FAULT 0
#endif

static atomic_int state;
static volatile int sink;

/* Deep enough for any stack; the array keeps the compiler from making a loop of it. */
static int recurse(int n)
{
    volatile char frame[4096];
    frame[0] = (char)n;
    if (n < 0)
        return 0;
    return recurse(n + 1) + frame[0]; /* overflow */
}

static void fault(void)
{
    printf("about to fail\n");
#if FAULT == 0
    *(volatile int *)8 = 1; /* segfault */
#elif FAULT == 1
    abort(); /* abort */
#elif FAULT == 2
    exit(3); /* exit */
#elif FAULT == 3
    sink = recurse(0);
#elif FAULT == 4
    for (;;) /* hang */
        __asm__ volatile("");
#elif FAULT == 6
    for (long n = 0;; n++) /* computes */
        __asm__ volatile("" : "+r"(n));
#elif FAULT == 5
    for (;;)
        atomic_fetch_add(&state, 2); /* endless */
#endif
    sink = (int)(size_t)recurse;
}

static void *change(void *unused)
{
    (void)unused;
    atomic_fetch_add(&state, 1);
    return NULL;
}

static void *check(void *unused)
{
    (void)unused;
    int before = atomic_load(&state);
    if (before != atomic_load(&state))
        fault();
    return NULL;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, change, NULL);
    pthread_create(&other, NULL, check, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
