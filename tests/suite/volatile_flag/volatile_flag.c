/* A message is handed over behind an atomic flag.
 * VOLATILE: behind a volatile one, which C does not take for synchronisation. COUNTED: a volatile counter is incremented by
 * two threads. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static int message;
#if defined VOLATILE || defined COUNTED
static volatile int flag;
#else
static atomic_int flag;
#endif

static void *send(void *unused)
{
#ifdef COUNTED
    flag++;
#else
    message = 42;
    flag = 1;
#endif
    return unused;
}

static void *receive(void *unused)
{
#ifdef COUNTED
    flag++;
#else
    while (!flag)
        ;
    assert(message == 42);
#endif
    return unused;
}

int main(void)
{
    RUN(send, receive);
#ifdef COUNTED
    assert(flag == 2);
#endif
    return message == 42 || message == 0 ? 0 : 1;
}
