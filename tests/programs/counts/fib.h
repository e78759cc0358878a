/* The two threads of fib N: i = j = 1; one does N times {x = i; y = j; i = x+y}, the other
 * {y = j; x = i; j = y+x}. */
#include "counts.h"

static atomic_int i = 1, j = 1;

static void *first(void *unused)
{
    for (int n = 0; n < N; n++) {
        int x = LOAD(i);
        int y = LOAD(j);
        STORE(i, x + y);
    }
    return unused;
}

static void *second(void *unused)
{
    for (int n = 0; n < N; n++) {
        int y = LOAD(j);
        int x = LOAD(i);
        STORE(j, y + x);
    }
    return unused;
}
