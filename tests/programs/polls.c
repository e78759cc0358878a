/* A consumer that polls through functions of several depths, with calls of libc on the way: with arguments and
 * results in all kinds of registers, and on the stack. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int tail;
static pthread_key_t key;
static int head;
static char name[] = "consumer 2.5";

static void keeps_arguments(void)
{
    char text[64];
    snprintf(text, sizeof text, "%d %d %d %d %d %.1f %.2f", 1, 2, 3, 4, 5, 0.5, 0.25);
    assert(strcmp(text, "1 2 3 4 5 0.5 0.25") == 0);
    assert(strtod(name + strlen("consumer "), NULL) == 2.5);
    int number = 0;
    double fraction = 0;
    assert(sscanf("7 1.5", "%d %lf", &number, &fraction) == 2 && number == 7 && fraction == 1.5);
    assert(syscall(SYS_gettid) == gettid());
    sigset_t now;
    assert(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
}

static int next(int *at)
{
    int place[6];
    keeps_arguments();
    int end = atomic_load(&tail);
    atomic_thread_fence(memory_order_seq_cst);
    if (end == head)
        return 0;
    place[1] = end;
    *at = place[1];
    return 1;
}

static int pop(int *at)
{
    int got[4];
    if (pthread_getspecific(key) || !next(&got[2]))
        return 0;
    *at = got[2];
    return 1;
}

static void *consume(void *unused)
{
    int at;
    while (!pop(&at))
        ;
    assert(at == 1);
    return unused;
}

int main(void)
{
    pthread_t consumer;
    pthread_key_create(&key, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    atomic_store(&tail, 1);
    pthread_join(consumer, NULL);
    return 0;
}
