/* One item for two takers: the second one is missing. To wake both would help nobody. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int count;
static sem_t ready;

static void *take(void *unused)
{
    pthread_mutex_lock(&m);
    sem_post(&ready);
    while (count == 0)
        pthread_cond_wait(&c, &m);
#ifndef STAYS
    count--;
#endif
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&ready, 0, 0);
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, take, NULL);
    sem_wait(&ready);
    sem_wait(&ready);
    pthread_mutex_lock(&m);
    count = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
