/* Threads that wait for ever when main has returned (or, with JOIN, waits for one of them): for more than is
 * posted, for a notify that came before, in a loop for what nobody stores, for a lock whose holder has ended. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sched.h>

static sem_t jobs;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, kept = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static atomic_int flag;

static void *taker(void *arg)
{
    sem_wait(&jobs);
    sem_wait(&jobs); /* waits for another */
    return arg;
}

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&ready, &m); /* waits for a notify */
    pthread_mutex_unlock(&m);
    return arg;
}
static void *spinner(void *arg)
{
    while (atomic_load(&flag) != 2) /* waits for 2 */
        sched_yield();
    return arg;
}

static void *keeper(void *arg)
{
    pthread_mutex_lock(&kept); /* keeps it */
    return arg;
}

static void *wants(void *arg)
{
    pthread_mutex_lock(&kept); /* waits for who keeps it */
    pthread_mutex_unlock(&kept);
    return arg;
}

int main(void)
{
    pthread_t t[5];
    void *(*all[])(void *) = {taker, waiter, spinner, keeper, wants};
    sem_init(&jobs, 0, 0);
    for (int i = 0; i < 5; i++)
        pthread_create(&t[i], NULL, all[i], NULL);
    pthread_cond_signal(&ready); /* the notify */
    sem_post(&jobs); /* the post */
    atomic_store(&flag, 1); /* the store */
#ifdef JOIN
    pthread_join(t[JOIN], NULL);
#endif
    return 0;
}
