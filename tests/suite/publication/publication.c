/* A configuration is replaced while it is read; the old one is freed when nobody reads it any more.
 * NO_GRACE: at once. LATE: a reader says that it reads when it has the pointer already. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

struct configuration {
    int width, height;
};

static struct configuration *_Atomic current;
static atomic_int reading;

static struct configuration *make(int size)
{
    struct configuration *made = malloc(sizeof *made);
    made->width = made->height = size;
    return made;
}

static void *reader(void *unused)
{
#ifdef LATE
    struct configuration *seen = current;
    atomic_fetch_add(&reading, 1);
#else
    atomic_fetch_add(&reading, 1);
    struct configuration *seen = current;
#endif
    assert(seen->width == seen->height);
    atomic_fetch_sub(&reading, 1);
    return unused;
}

static void *writer(void *unused)
{
    struct configuration *old = atomic_exchange(&current, make(2));
#ifndef NO_GRACE
    while (reading)
        ;
#endif
    free(old);
    return unused;
}

int main(void)
{
    current = make(1);
    RUN(reader, writer);
    free(current);
    return 0;
}
