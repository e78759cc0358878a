/* Two threads do the same to what the process has once, and the order of the two shows at the end. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static pthread_t threads[2];

#if defined NUMBERS
static int drawn[2];
static void does(int who) { drawn[who] = rand(); }
static int came_last(void)
{
    srand(1);
    return drawn[0] != rand();
}
#elif defined SIGNALS
static int handled;
static void one(int unused) { handled = 1; }
static void other(int unused) { handled = 2; }
static void does(int who) { signal(SIGUSR1, who ? other : one); }
static int came_last(void)
{
    raise(SIGUSR1);
    return handled == 1;
}
#elif defined NAMES
static void does(int who) { pthread_setname_np(threads[0], who ? "other" : "one"); }
static int came_last(void)
{
    char name[16];
    pthread_getname_np(threads[0], name, sizeof name);
    return strcmp(name, "one") == 0;
}
#endif

static void *first(void *unused)
{
    does(0);
    return unused;
}

static void *second(void *unused)
{
    does(1);
    return unused;
}

int main(void)
{
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[1], NULL);
#ifdef NAMES
    /* Joined, it has none. */
    assert(!came_last());
#endif
    pthread_join(threads[0], NULL);
#ifndef NAMES
    assert(!came_last());
#endif
    return 0;
}
