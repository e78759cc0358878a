// A semaphore is waited for under the lock that is needed to post it.
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t items;

static void *post(void *arg) {
    pthread_mutex_lock(&lock); // wants
    sem_post(&items);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&items, 0, 0);
    pthread_create(&t, 0, post, 0);
    pthread_mutex_lock(&lock); // holds
    sem_wait(&items); // needs
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}
