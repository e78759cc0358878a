/* A message is handed over behind a relaxed flag, with a fence on either side.
 * NO_RELEASE, NO_ACQUIRE: one of the fences is missing. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static int message;
static atomic_int flag;

static void *send(void *unused)
{
    message = 42;
#ifndef NO_RELEASE
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *receive(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
#ifndef NO_ACQUIRE
        atomic_thread_fence(memory_order_acquire);
#endif
        assert(message == 42);
    }
    return unused;
}

int main(void)
{
    RUN(send, receive);
    return 0;
}
