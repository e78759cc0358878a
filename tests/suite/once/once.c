/* Two threads need a table that is filled once.
 * BY_HAND: a flag says whether it was. */
#include "../suite.h"
#include <assert.h>

static int table, filled;

static void fill(void)
{
    table = 42;
    filled++;
}

static void *need(void *unused)
{
#ifdef BY_HAND
    if (!filled)
        fill();
#else
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
#endif
    assert(table == 42);
    return unused;
}

int main(void)
{
    RUN(need, need);
    assert(filled == 1);
    return 0;
}
