/* As programs of SV-COMP have it: they define `reach_error` themselves, here with nothing in it. */
extern void abort(void);
void reach_error() {}

#include <pthread.h>

void __VERIFIER_assert(int expression) { if (!expression) { ERROR: {reach_error();abort();}}; return; }
void assume_abort_if_not(int cond) { if (!cond) {abort();} }

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *withdraw(void *arg)
{
    pthread_mutex_lock(&m);
    int enough = balance >= 80;
    pthread_mutex_unlock(&m);
    if (enough) {
        pthread_mutex_lock(&m);
        balance -= 80;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void run(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, withdraw, NULL);
    pthread_create(&other, NULL, withdraw, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
}

void test_reach_error(void)
{
    run();
    if (balance < 0) {
        ERROR: {reach_error();abort();} /* reached */
    }
}

void test_assert(void)
{
    run();
    __VERIFIER_assert(balance >= 0); /* asserted */
}

void test_assume(void)
{
    run();
    assume_abort_if_not(balance >= 0);
    __VERIFIER_assert(balance == 20);
}

/* No assumption: what aborts fails. */
void test_abort(void)
{
    run();
    if (balance < 0)
        abort(); /* aborts */
}
