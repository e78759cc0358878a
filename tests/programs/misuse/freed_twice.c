/* Two threads close a connection under its lock; the second one does not see that it is closed already. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *buffer;

static void *close_connection(void *arg)
{
    pthread_mutex_lock(&lock);
    free(buffer); /* freed */
#ifdef FIXED
    buffer = NULL;
#endif
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    buffer = malloc(100); /* made */
    pthread_create(&a, NULL, close_connection, NULL);
    pthread_create(&b, NULL, close_connection, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
