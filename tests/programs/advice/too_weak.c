// A message, and a flag that tells of it. By default the flag is relaxed on both sides; -DRELEASED and -DACQUIRED make one side
// strong enough.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef RELEASED
#define TELLS memory_order_release
#else
#define TELLS memory_order_relaxed
#endif
#ifdef ACQUIRED
#define HEARS memory_order_acquire
#else
#define HEARS memory_order_relaxed
#endif

static int message;
static atomic_int ready;

static void *sends(void *unused)
{
    message = 42; // writes
    atomic_store_explicit(&ready, 1, TELLS); // tells
    return unused;
}

static void *receives(void *unused)
{
    if (atomic_load_explicit(&ready, HEARS)) // hears
        assert(message == 42); // reads
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, sends, NULL);
    pthread_create(&b, NULL, receives, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
