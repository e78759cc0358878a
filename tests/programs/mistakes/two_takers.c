/* Two threads take one permit. T0 fails for want of it; T1 may stay behind when the test is over, which is no failure. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t permit;

static void *take(void *unused) {
    sem_wait(&permit);
    return unused;
}

int main(void) {
    pthread_t taker;
    sem_init(&permit, 0, 1);
    pthread_create(&taker, NULL, take, NULL);
    sem_wait(&permit);
    return 0;
}
