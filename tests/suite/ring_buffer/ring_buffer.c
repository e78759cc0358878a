/* Lamport's queue of one producer and one consumer: a ring without a lock, here of one place for two items.
 * RELAXED: its ends order nothing. TOO_SOON: an item is announced before it is there. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

#ifdef RELAXED
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#else
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#endif

enum { PLACES = 1 };

static int ring[PLACES];
static atomic_uint head, tail;

static void *producer(void *unused)
{
    for (unsigned i = 0; i < 2; i++) {
        while (i - atomic_load_explicit(&head, ACQUIRE) == PLACES)
            ;
#ifdef TOO_SOON
        atomic_store_explicit(&tail, i + 1, RELEASE);
        ring[i % PLACES] = 42;
#else
        ring[i % PLACES] = 42;
        atomic_store_explicit(&tail, i + 1, RELEASE);
#endif
    }
    return unused;
}

static void *consumer(void *unused)
{
    for (unsigned i = 0; i < 2; i++) {
        while (atomic_load_explicit(&tail, ACQUIRE) == i)
            ;
        assert(ring[i % PLACES] == 42);
        atomic_store_explicit(&head, i + 1, RELEASE);
    }
    return unused;
}

int main(void)
{
    RUN(producer, consumer);
    return 0;
}
