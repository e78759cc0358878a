/* Wrong: who waits has notified itself before it waits, and nobody else does. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int go;

static void *await(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    while (!go)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, await, 0);
    pthread_join(t, 0);
    return 0;
}
