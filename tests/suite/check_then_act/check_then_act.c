/* Two threads withdraw 60 of 100, if there is enough.
 * APART: looking and withdrawing are two steps. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int balance = 100;

static void *withdraw(void *unused)
{
#ifdef APART
    if (balance >= 60)
        atomic_fetch_sub(&balance, 60);
#else
    int seen = balance;
    while (seen >= 60 && !atomic_compare_exchange_strong(&balance, &seen, seen - 60))
        ;
#endif
    return unused;
}

int main(void)
{
    RUN(withdraw, withdraw);
    assert(balance == 40);
    return 0;
}
