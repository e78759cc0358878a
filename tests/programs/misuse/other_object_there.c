/* What is used lies where something else was destroyed: on a stack that was used again, and in a union. Both are right. */
#include <pthread.h>
#include <semaphore.h>

#define NEVER_INLINED __attribute__((noinline)) static

NEVER_INLINED void semaphore(void)
{
    struct { sem_t s; char room[32]; } local;
    sem_init(&local.s, 0, 1);
    sem_wait(&local.s);
    sem_destroy(&local.s);
}

NEVER_INLINED void mutex(void)
{
    struct { pthread_mutex_t m; char room[24]; } local = {PTHREAD_MUTEX_INITIALIZER, {0}};
    pthread_mutex_lock(&local.m);
    pthread_mutex_unlock(&local.m);
}

static union { sem_t s; pthread_mutex_t m; } shared;

int main(void)
{
    semaphore();
    mutex();
    sem_init(&shared.s, 0, 1);
    sem_wait(&shared.s);
    sem_destroy(&shared.s);
    shared.m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&shared.m);
    pthread_mutex_unlock(&shared.m);
#ifdef BROKEN
    sem_init(&shared.s, 0, 1);
    sem_destroy(&shared.s);
    sem_post(&shared.s);
#endif
    return 0;
}
