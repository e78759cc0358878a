/* The barrier is for three, and two come: the number is wrong. Whoever comes last notifies all. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int arrived;

static void *come(void *unused)
{
    pthread_mutex_lock(&m);
    arrived++;
    if (arrived == 3)
        pthread_cond_broadcast(&c);
    while (arrived < 3)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, come, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
