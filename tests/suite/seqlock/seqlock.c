/* A sequence lock: a reader tries again if a writer was there meanwhile.
 * NO_RECHECK: it does not look. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int sequence, first, second;

static void *writer(void *unused)
{
    atomic_fetch_add(&sequence, 1);
    first = 1;
    second = 1;
    atomic_fetch_add(&sequence, 1);
    return unused;
}

static void *reader(void *unused)
{
    int before, a, b;
    do {
        while ((before = sequence) % 2)
            ;
        a = first;
        b = second;
#ifdef NO_RECHECK
    } while (0);
#else
    } while (sequence != before);
#endif
    assert(a == b);
    return unused;
}

int main(void)
{
    RUN(writer, reader);
    return 0;
}
