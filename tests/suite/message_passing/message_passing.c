/* A message is handed over behind a flag.
 * RELAXED: the flag orders nothing. */
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

static int message;
static atomic_int flag;

static void *send(void *unused)
{
    message = 42;
    atomic_store_explicit(&flag, 1, RELEASE);
    return unused;
}

static void *receive(void *unused)
{
    if (atomic_load_explicit(&flag, ACQUIRE))
        assert(message == 42);
    return unused;
}

int main(void)
{
    RUN(send, receive);
    return 0;
}
