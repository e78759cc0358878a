/* Each of two threads raises its flag and then looks for the other's: one of them sees it.
 * LOOK_FIRST: they look before they raise it. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int flags[2];
static int saw[2];

static void *meet(void *number)
{
    int me = (int)(intptr_t)number;
#ifdef LOOK_FIRST
    saw[me] = flags[1 - me];
    flags[me] = 1;
#else
    flags[me] = 1;
    saw[me] = flags[1 - me];
#endif
    return NULL;
}

int main(void)
{
    RUN(meet, meet);
    assert(saw[0] || saw[1]);
    return 0;
}
