/* The one-bit algorithm of Burns and Lamport, for two threads: the second one gives way.
 * STUBBORN: it does not. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int wants[2];
static int counter;

static void *first(void *unused)
{
    wants[0] = 1;
    while (wants[1])
        ;
    counter++;
    wants[0] = 0;
    return unused;
}

static void *second(void *unused)
{
    wants[1] = 1;
    while (wants[0]) {
#ifndef STUBBORN
        wants[1] = 0;
        while (wants[0])
            ;
        wants[1] = 1;
#endif
    }
    counter++;
    wants[1] = 0;
    return unused;
}

int main(void)
{
    RUN(first, second);
    assert(counter == 2);
    return 0;
}
