/* A reader announces what it is about to read; who replaced it waits for the announcement's end.
 * NO_RECHECK: the reader does not look whether it was replaced before the announcement. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic shared;
static int *_Atomic hazard;

static int *make(void)
{
    int *made = malloc(sizeof *made);
    *made = 42;
    return made;
}

static void *reader(void *unused)
{
    int *seen;
#ifdef NO_RECHECK
    seen = shared;
    hazard = seen;
#else
    do {
        seen = shared;
        hazard = seen;
    } while (shared != seen);
#endif
    assert(*seen == 42);
    hazard = NULL;
    return unused;
}

static void *writer(void *unused)
{
    int *old = atomic_exchange(&shared, make());
    while (hazard == old)
        ;
    free(old);
    return unused;
}

int main(void)
{
    shared = make();
    RUN(reader, writer);
    free(shared);
    return 0;
}
