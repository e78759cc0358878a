/* signal_one.c put right: everybody is woken, and whose condition holds goes on. */
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
    pthread_cond_broadcast(&changed);
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
    pthread_cond_broadcast(&changed);
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
