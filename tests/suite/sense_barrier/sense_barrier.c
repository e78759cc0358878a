/* A barrier of two that reverses its sense, and is used twice.
 * NO_SENSE: who waits looks whether the count is full again. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int missing = 2;
#ifndef NO_SENSE
static atomic_int sense;
#endif
static int values[2];

static void barrier(int *mine)
{
#ifdef NO_SENSE
    (void)mine;
    if (atomic_fetch_sub(&missing, 1) == 1)
        missing = 2;
    else
        while (missing != 2)
            ;
#else
    *mine = !*mine;
    if (atomic_fetch_sub(&missing, 1) == 1) {
        missing = 2;
        sense = *mine;
    } else {
        while (sense != *mine)
            ;
    }
#endif
}

static void *work(void *number)
{
    int me = (int)(intptr_t)number, mine = 0;
    values[me] = 1;
    barrier(&mine);
    int other = values[1 - me];
    barrier(&mine);
    values[me] += other;
    return NULL;
}

int main(void)
{
    RUN(work, work);
    assert(values[0] == 2 && values[1] == 2);
    return 0;
}
