/* A detached thread says by a semaphore that its result is there.
 * NO_WAIT: nobody waits for that. JOINED: main joins the thread, which it must not. */
#include "../suite.h"
#include <assert.h>
#include <semaphore.h>

static sem_t done;
static int result;

static void *compute(void *unused)
{
    result = 42;
    sem_post(&done);
    return unused;
}

int main(void)
{
    sem_init(&done, 0, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
    pthread_detach(thread);
#if defined JOINED
    pthread_join(thread, NULL);
#elif !defined NO_WAIT
    sem_wait(&done);
#endif
    assert(result == 42 || result == 0);
    return 0;
}
