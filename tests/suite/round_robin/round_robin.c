/* Three threads take turns, each waiting for its number.
 * SIGNAL: one of those who wait is woken, whose turn it need not be. */
#include "../suite.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next = PTHREAD_COND_INITIALIZER;
static int turn;

static void *play(void *number)
{
    int me = (int)(intptr_t)number;
    pthread_mutex_lock(&lock);
    while (turn != me)
        pthread_cond_wait(&next, &lock);
    turn++;
#ifdef SIGNAL
    pthread_cond_signal(&next);
#else
    pthread_cond_broadcast(&next);
#endif
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    RUN(play, play, play);
    assert(turn == 3);
    return 0;
}
