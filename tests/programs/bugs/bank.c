/* Three withdrawals: the balance is looked at in one critical section and changed in another. */
#include "../counts/counts.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int look(void)
{
    pthread_mutex_lock(&lock);
    int seen = balance;
    pthread_mutex_unlock(&lock);
    return seen;
}

static void *work(void *id)
{
    static const int amounts[] = {60, 50, 10};
    int amount = amounts[(intptr_t)id];
    if (look() < amount)
        return NULL;
    pthread_mutex_lock(&lock);
    balance -= amount;
    assert(balance >= 0);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    run_all(3, work);
    return 0;
}
