/* Three philosophers eat once each; all take the fork with the lower number first.
 * CYCLIC: each takes its own first. SEATS: so too, but only two may sit down at once. */
#include "../suite.h"
#include <semaphore.h>

static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
#ifdef SEATS
static sem_t seats;
#endif

static void *philosopher(void *number)
{
    int first = (int)(intptr_t)number, second = (first + 1) % 3;
#if !defined CYCLIC && !defined SEATS
    if (first > second) {
        int other = first;
        first = second;
        second = other;
    }
#endif
#ifdef SEATS
    sem_wait(&seats);
#endif
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
#ifdef SEATS
    sem_post(&seats);
#endif
    return NULL;
}

int main(void)
{
#ifdef SEATS
    sem_init(&seats, 0, 2);
#endif
    RUN(philosopher, philosopher, philosopher);
    return 0;
}
