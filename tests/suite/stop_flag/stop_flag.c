/* A worker works until it is told to stop, three times at most.
 * PLAIN: the flag is an ordinary variable. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

#ifdef PLAIN
static int stop;
#else
static atomic_int stop;
#endif
static int rounds;

static void *worker(void *unused)
{
    for (int i = 0; i < 3 && !stop; i++)
        rounds++;
    return unused;
}

static void *boss(void *unused)
{
    stop = 1;
    return unused;
}

int main(void)
{
    RUN(worker, boss);
    assert(rounds <= 3);
    return 0;
}
