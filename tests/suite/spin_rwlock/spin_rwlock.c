/* A read-write lock in one number: readers count upwards, a writer makes it -1.
 * TWO_STEPS: a reader looks whether there is a writer, and then counts. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int state;
static int value;

static void *reader(void *unused)
{
#ifdef TWO_STEPS
    while (state < 0)
        ;
    atomic_fetch_add(&state, 1);
#else
    int seen;
    do {
        while ((seen = state) < 0)
            ;
    } while (!atomic_compare_exchange_strong(&state, &seen, seen + 1));
#endif
    assert(value == 0 || value == 1);
    atomic_fetch_sub(&state, 1);
    return unused;
}

static void *writer(void *unused)
{
    int nobody = 0;
    while (!atomic_compare_exchange_strong(&state, &nobody, -1))
        nobody = 0;
    value++;
    atomic_fetch_add(&state, 1);
    return unused;
}

int main(void)
{
    RUN(reader, writer);
    return 0;
}
