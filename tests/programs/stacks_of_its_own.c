/* Stacks that the program makes: one of a coroutine, and one for handlers of signals in static memory that nobody has
 * written yet. With STATIC the coroutine's lies there too. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

static char handlers[65536], more[65536];
static ucontext_t back, routine;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static _Thread_local volatile int handled;

static void add(void)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
}

static void adds_twice(void)
{
    add();
    swapcontext(&routine, &back);
    add();
}

static void handler(int signal)
{
    char deep[4096] = {0};
    handled = signal + deep[1000];
}

static void *takes_signals(void *nothing)
{
    stack_t stack = {.ss_sp = handlers, .ss_size = sizeof handlers}, asked;
    stack_t small = {.ss_sp = handlers, .ss_size = 100}, odd = {.ss_flags = 77};
    assert(sigaltstack(NULL, &asked) == 0 && (asked.ss_flags & SS_DISABLE));
    assert(sigaltstack(&small, NULL) == -1 && errno == ENOMEM);
    assert(sigaltstack(&odd, NULL) == -1 && errno == EINVAL);
    assert(sigaltstack(&stack, NULL) == 0 && sigaltstack(NULL, &asked) == 0);
    assert(asked.ss_sp == handlers && asked.ss_size == sizeof handlers && asked.ss_flags == 0);
    raise(SIGUSR1);
    assert(handled == SIGUSR1);
    /* Memory that is written for the first time while the stack is set. */
    more[40000] = 1;
    add();
    stack.ss_flags = SS_DISABLE;
    assert(sigaltstack(&stack, &asked) == 0 && asked.ss_sp == handlers);
    return nothing;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    pthread_t thread;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, takes_signals, NULL);
    getcontext(&routine);
#ifdef STATIC
    routine.uc_stack.ss_sp = more;
#else
    routine.uc_stack.ss_sp = malloc(sizeof more);
#endif
    routine.uc_stack.ss_size = sizeof more;
    routine.uc_link = &back;
    makecontext(&routine, adds_twice, 0);
    swapcontext(&back, &routine);
    swapcontext(&back, &routine);
    pthread_join(thread, NULL);
    assert(count == 3);
#ifndef STATIC
    free(routine.uc_stack.ss_sp);
#endif
    return 0;
}
