/* Each thread counts in a variable of its own, and adds it to the total.
 * SHARED: the variable is everybody's. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

#ifdef SHARED
static int mine;
#else
static _Thread_local int mine;
#endif
static atomic_int total;

static void *count(void *unused)
{
    for (int i = 0; i < 3; i++)
        mine++;
    atomic_fetch_add(&total, mine);
    return unused;
}

int main(void)
{
    RUN(count, count, count);
    assert(total == 9 && mine == 0);
    return 0;
}
