/* Two threads exchange what they bring, with a barrier between.
 * TOO_MANY: it waits for a third one. NONE: there is none. */
#include "../suite.h"
#include <assert.h>

static pthread_barrier_t both;
static int brought[2];

static void *meet(void *number)
{
    int me = (int)(intptr_t)number;
    brought[me] = 42;
#ifndef NONE
    pthread_barrier_wait(&both);
#endif
    assert(brought[1 - me] == 42 || brought[1 - me] == 0);
    return NULL;
}

int main(void)
{
#ifdef TOO_MANY
    pthread_barrier_init(&both, NULL, 3);
#else
    pthread_barrier_init(&both, NULL, 2);
#endif
    RUN(meet, meet);
    return 0;
}
