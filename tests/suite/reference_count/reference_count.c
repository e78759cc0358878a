/* Two threads drop their reference, and the last one frees the object.
 * LOOK_AGAIN: who is last is found by another load. RELAXED: nothing orders the uses before the free. */
#include "../suite.h"
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int uses[2];
};

static struct object *object;

static void *use(void *number)
{
    object->uses[(intptr_t)number]++;
#if defined LOOK_AGAIN
    atomic_fetch_sub(&object->references, 1);
    if (object->references == 0)
        free(object);
#elif defined RELAXED
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_relaxed) == 1)
        free(object);
#else
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
        free(object);
#endif
    return NULL;
}

int main(void)
{
    object = calloc(1, sizeof *object);
    object->references = 2;
    RUN(use, use);
    return 0;
}
