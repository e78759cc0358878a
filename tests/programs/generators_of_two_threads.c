/* A generator in each of two threads; what they hand out goes into what both threads share, under a lock. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifndef STACK
#define STACK 16384
#endif

struct generator {
    ucontext_t caller, self;
    int next, done;
    int limit, step;
    void *stack;
};

static struct generator g[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum, seen[2];

static void yield_value(struct generator *g, int v)
{
    g->next = v;
    swapcontext(&g->self, &g->caller);
}

static void counts(int hi, int lo)
{
    struct generator *g = (struct generator *)(((unsigned long)(unsigned)hi << 32) | (unsigned)lo);
    int i;
    for (i = 0; i < g->limit; i++)
        yield_value(g, i * g->step + seen[g->step == 10]);
    g->done = 1;
}

static int next(struct generator *g, int *v)
{
    swapcontext(&g->caller, &g->self);
    if (g->done) return 0;
    *v = g->next;
    return 1;
}

static void *worker(void *arg)
{
    struct generator *g = arg;
    int v;
    getcontext(&g->self);
#if defined MAPPED
    g->stack = mmap(0, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
#elif defined STATIC
    static char stacks[2][STACK];
    g->stack = stacks[g->step == 10];
#else
    g->stack = malloc(STACK);
#endif
    g->self.uc_stack.ss_sp = g->stack;
    g->self.uc_stack.ss_size = STACK;
    g->self.uc_link = &g->caller;
    makecontext(&g->self, (void (*)(void))counts, 2, (int)((unsigned long)g >> 32), (int)(unsigned long)g);
    while (next(g, &v)) {
#ifdef BUG
        int old = sum;
        pthread_mutex_lock(&m);
        sum = old + v;
        pthread_mutex_unlock(&m);
#else
        pthread_mutex_lock(&m);
        sum += v;
        pthread_mutex_unlock(&m);
#endif
    }
#if defined MAPPED
    munmap(g->stack, STACK);
#elif !defined STATIC
    free(g->stack);
#endif
    return 0;
}

int main(void)
{
    pthread_t t;
    g[0].limit = 2; g[0].step = 1;
    g[1].limit = 2; g[1].step = 10;
    pthread_create(&t, 0, worker, &g[1]);
    worker(&g[0]);
    pthread_join(t, 0);
    assert(sum == 11);
    return 0;
}
