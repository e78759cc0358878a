/* A lock is destroyed that a thread took with it when it ended. */
#include <pthread.h>

static pthread_mutex_t m;

static void *keeper(void *arg)
{
    pthread_mutex_lock(&m); // keeps
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_init(&m, 0);
    pthread_create(&t, 0, keeper, 0);
    pthread_join(t, 0);
    pthread_mutex_destroy(&m);
    return 0;
}
