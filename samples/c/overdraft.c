/* Two tests in a file without main, with inputs from raddle.h.
 *
 * Wrong: withdraw() looks at the balance in one critical section and changes it in another; two
 * withdrawals may both find enough. Whether that shows depends on the amounts as well.
 * Right: overdraft_fixed.c (one critical section).
 *
 * Without Raddle it compiles with: cc -c -I runtime/include samples/c/overdraft.c */
#include <pthread.h>
#include <raddle.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void deposit(int amount)
{
    pthread_mutex_lock(&lock);
    balance += amount;
    pthread_mutex_unlock(&lock);
}

static void withdraw(int amount)
{
    pthread_mutex_lock(&lock);
    int enough = balance >= amount;
    pthread_mutex_unlock(&lock);
    if (!enough)
        return;
    pthread_mutex_lock(&lock);
    balance -= amount;
    pthread_mutex_unlock(&lock);
}

static void *deposits(void *amount)
{
    deposit(*(int *)amount);
    return NULL;
}

static void *withdraws(void *amount)
{
    withdraw(*(int *)amount);
    return NULL;
}

/* Two threads, each with its amount. */
static void run(void *(*body)(void *), int first, int second)
{
    pthread_t one, other;
    pthread_create(&one, NULL, body, &first);
    pthread_create(&other, NULL, body, &second);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
}

void test_deposits_add_up(void)
{
    run(deposits, 20, 30);
    raddle_assert(balance == 150, "a deposit was lost");
}

/* 0 to 100 in steps of 50: overdrawn only where the two amounts together exceed the balance. */
void test_never_overdrawn(void)
{
    int first = raddle_choose(3) * 50;
    int second = raddle_choose(3) * 50;
    raddle_assume(first >= second);
    run(withdraws, first, second);
    raddle_assert(balance >= 0, "the account is overdrawn");
}
