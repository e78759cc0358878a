/* Two threads take turns by two semaphores.
 * BOTH_WAIT: both wait first. */
#include "../suite.h"
#include <assert.h>
#include <semaphore.h>

static sem_t pings, pongs;
static int ball;

static void *ping(void *unused)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&pings);
        assert(ball == 2 * i);
        ball++;
        sem_post(&pongs);
    }
    return unused;
}

static void *pong(void *unused)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&pongs);
        assert(ball == 2 * i + 1);
        ball++;
        sem_post(&pings);
    }
    return unused;
}

int main(void)
{
#ifdef BOTH_WAIT
    sem_init(&pings, 0, 0);
#else
    sem_init(&pings, 0, 1);
#endif
    sem_init(&pongs, 0, 0);
    RUN(ping, pong);
    return 0;
}
