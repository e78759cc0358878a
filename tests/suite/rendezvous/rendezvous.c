/* Two threads meet: each says that it is there and waits for the other.
 * WAIT_FIRST: they wait before they say it. */
#include "../suite.h"
#include <assert.h>
#include <semaphore.h>

static sem_t there[2];
static int brought[2];

static void *meet(void *number)
{
    int me = (int)(intptr_t)number;
    brought[me] = 42;
#ifdef WAIT_FIRST
    sem_wait(&there[1 - me]);
    sem_post(&there[me]);
#else
    sem_post(&there[me]);
    sem_wait(&there[1 - me]);
#endif
    assert(brought[1 - me] == 42);
    return NULL;
}

int main(void)
{
    sem_init(&there[0], 0, 0);
    sem_init(&there[1], 0, 0);
    RUN(meet, meet);
    return 0;
}
