/* A barber sleeps until a customer comes; two customers wait in their chairs until he takes them.
 * LOCKED_IN: a customer waits with the lock of the waiting room. */
#include "../suite.h"
#include <assert.h>
#include <semaphore.h>

static pthread_mutex_t room = PTHREAD_MUTEX_INITIALIZER;
static sem_t customers, ready;
static int waiting, cut;

static void *barber(void *unused)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&customers);
        pthread_mutex_lock(&room);
        waiting--;
        cut++;
        pthread_mutex_unlock(&room);
        sem_post(&ready);
    }
    return unused;
}

static void *customer(void *unused)
{
    pthread_mutex_lock(&room);
    waiting++;
    sem_post(&customers);
#ifdef LOCKED_IN
    sem_wait(&ready);
    pthread_mutex_unlock(&room);
#else
    pthread_mutex_unlock(&room);
    sem_wait(&ready);
#endif
    return unused;
}

int main(void)
{
    sem_init(&customers, 0, 0);
    sem_init(&ready, 0, 0);
    RUN(barber, customer, customer);
    assert(cut == 2 && waiting == 0);
    return 0;
}
