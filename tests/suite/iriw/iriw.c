/* Two independent writers, and two readers that read in opposite orders: they agree on who was first.
 * ALIKE: both read in the same order, which says nothing. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int x, y;
static int saw[2][2];

static void *write_x(void *unused)
{
    x = 1;
    return unused;
}

static void *write_y(void *unused)
{
    y = 1;
    return unused;
}

static void *read_x_y(void *unused)
{
    saw[0][0] = x;
    saw[0][1] = y;
    return unused;
}

static void *read_again(void *unused)
{
#ifdef ALIKE
    saw[1][0] = x;
    saw[1][1] = y;
#else
    saw[1][1] = y;
    saw[1][0] = x;
#endif
    return unused;
}

int main(void)
{
    RUN(write_x, write_y, read_x_y, read_again);
    /* One saw x and not y, the other one y and not x. */
    assert(!(saw[0][0] && !saw[0][1] && saw[1][1] && !saw[1][0]));
    return 0;
}
