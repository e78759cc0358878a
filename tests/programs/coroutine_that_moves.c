/* A coroutine that goes from thread to thread: whoever has the lock runs it one step further. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifndef STACK
#define STACK 16384
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static ucontext_t co, *back;
static int steps, finished, other;
static __thread int mine;
static pthread_t ran[4];

/* Not kept over a switch: libc says that the answer never changes. */
static __attribute__((noinline)) pthread_t runs_here(void) { __asm__ volatile(""); return pthread_self(); }

static void touch(void)
{
    pthread_mutex_lock(&inner);
    other++;
    pthread_mutex_unlock(&inner);
}

static void routine(void)
{
    int local = 0;
    for (int i = 0; i < 3; i++) {
        local++;
        ran[steps++] = runs_here();
        touch();
        swapcontext(&co, back);
        assert(local == i + 1);
    }
    finished = 1;
    setcontext(back);
}

static void resume(void)
{
    ucontext_t here;
#ifndef BUG
    pthread_mutex_lock(&m);
#endif
    if (!finished) {
        back = &here;
        int before = steps;
        swapcontext(&here, &co);
        assert(finished || steps == before + 1);
        assert(finished || pthread_equal(ran[before], runs_here()));
        mine++;
    }
#ifndef BUG
    pthread_mutex_unlock(&m);
#endif
}

static void *thread(void *a)
{
    resume();
    resume();
    touch();
    return a;
}

int main(void)
{
    pthread_t t;
    getcontext(&co);
    co.uc_stack.ss_sp = malloc(STACK);
    co.uc_stack.ss_size = STACK;
    co.uc_link = 0;
    makecontext(&co, routine, 0);
    pthread_create(&t, 0, thread, 0);
    thread(0);
    pthread_join(t, 0);
    assert(finished && steps == 3 && other == 5);
    free(co.uc_stack.ss_sp);
    return 0;
}
