/* A thread waits for what nobody changes: as it was at first (0), or as it wrote it itself (OWN). */
#include <pthread.h>

static int full = 1;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *puts_one(void *arg)
{
    pthread_mutex_lock(&m);
#ifdef OWN
    full = 2; // its own
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
#endif
    while (full) // looks
        pthread_cond_wait(&c, &m);
    full = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *only_tells(void *arg)
{
    pthread_cond_signal(&c);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, puts_one, 0);
    pthread_create(&b, 0, only_tells, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
