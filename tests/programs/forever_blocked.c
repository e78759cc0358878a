/* main returns while another thread waits for ever: a warning under --main-exit wait, nothing
 * under --main-exit kill. */
#include <pthread.h>
#include <semaphore.h>

static sem_t never;

static void *waiter(void *unused)
{
    (void)unused;
    sem_wait(&never); /* waits */
    return NULL;
}

int main(void)
{
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_detach(thread);
    return 0;
}
