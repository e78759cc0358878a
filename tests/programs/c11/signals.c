/* Signals that a thread sends to itself. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t seen;
static int shared;
static _Atomic int handled;

static void note(int signal)
{
    seen = signal;
}

void test_a_handler_is_called(void)
{
    assert(signal(SIGUSR1, note) == SIG_DFL);
    assert(raise(SIGUSR1) == 0);
    assert(seen == SIGUSR1);
    seen = 0;
    assert(kill(getpid(), SIGUSR1) == 0);
    assert(seen == SIGUSR1);
    assert(pthread_kill(pthread_self(), SIGUSR1) == 0);
}

static void info(int signal, siginfo_t *about, void *context)
{
    assert(about->si_signo == signal && context);
    seen++;
}

void test_blocked_and_reset(void)
{
    struct sigaction action = {.sa_sigaction = info, .sa_flags = SA_SIGINFO | SA_RESETHAND}, old;
    sigset_t set, before;
    assert(sigaction(SIGUSR2, &action, 0) == 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    assert(pthread_sigmask(SIG_BLOCK, &set, &before) == 0);
    assert(!sigismember(&before, SIGUSR2));
    raise(SIGUSR2);
    assert(seen == 0);
    assert(sigpending(&set) == 0 && sigismember(&set, SIGUSR2));
    assert(sigprocmask(SIG_SETMASK, &before, 0) == 0);
    assert(seen == 1);
    assert(sigaction(SIGUSR2, 0, &old) == 0 && old.sa_handler == SIG_DFL);
}

static void locks(int signal)
{
    (void)signal;
    pthread_mutex_lock(&lock); /* in the handler */
    shared++;
    pthread_mutex_unlock(&lock);
    handled++;
}

static void *raises(void *unused)
{
    raise(SIGUSR1);
    return unused;
}

/* Each thread runs the handler itself, and others come between. */
void test_handlers_of_two_threads(void)
{
    pthread_t t[2];
    signal(SIGUSR1, locks);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, raises, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(shared == 2 && handled == 2);
}

/* The textbook mistake: the handler takes the lock that its thread holds. */
void test_locks_again(void)
{
    pthread_t t;
    signal(SIGUSR1, locks);
    pthread_create(&t, 0, raises, 0);
    pthread_mutex_lock(&lock);
    raise(SIGUSR1);
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
}

static void *sets(void *unused)
{
    signal(SIGUSR1, note);
    return unused;
}

/* Who comes first matters: without the handler it is the end. */
void test_set_too_late(void)
{
    pthread_t t;
    pthread_create(&t, 0, sets, 0);
    raise(SIGUSR1); /* perhaps the end */
    pthread_join(t, 0);
}

void test_no_handler(void)
{
    raise(SIGTERM); /* the end */
}

void test_of_another_thread(void)
{
    pthread_t t;
    signal(SIGUSR1, note);
    pthread_create(&t, 0, raises, 0);
    pthread_kill(t, SIGUSR1); /* to another */
    pthread_join(t, 0);
}
