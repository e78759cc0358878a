/* One condition variable for two conditions: a slot that is filled, and a slot that is empty.
 *
 * Wrong: `signal` where `broadcast` belongs. It may wake a thread that waits for the other condition,
 * which goes back to waiting, and the one it was meant for is never woken: a condition deadlock.
 * Right: signal_one_fixed.c (`broadcast`). */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int filled;

static void *producer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (filled)
        pthread_cond_wait(&changed, &lock);
    filled = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *consumer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!filled)
        pthread_cond_wait(&changed, &lock);
    filled = 0;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t consuming[2], producing[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&consuming[i], NULL, consumer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&producing[i], NULL, producer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(consuming[i], NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(producing[i], NULL);
    return 0;
}
