/* Double-checked locking: who sees the object takes no lock.
 * RELAXED: it is published without an order. NO_RECHECK: who has the lock does not look again. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int object, made;
static int *_Atomic published;

#ifdef RELAXED
#define PUBLISH memory_order_relaxed
#define SEE memory_order_relaxed
#else
#define PUBLISH memory_order_release
#define SEE memory_order_acquire
#endif

static int *get(void)
{
    int *seen = atomic_load_explicit(&published, SEE);
    if (seen)
        return seen;
    pthread_mutex_lock(&lock);
#ifndef NO_RECHECK
    seen = atomic_load_explicit(&published, memory_order_relaxed);
#endif
    if (!seen) {
        seen = &object;
        *seen = 42;
        made++;
        atomic_store_explicit(&published, seen, PUBLISH);
    }
    pthread_mutex_unlock(&lock);
    return seen;
}

static void *use(void *unused)
{
    assert(*get() == 42);
    return unused;
}

int main(void)
{
    RUN(use, use);
    assert(made == 1);
    return 0;
}
