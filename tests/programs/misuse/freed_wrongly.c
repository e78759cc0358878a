/* A thread gives back a buffer that may be the static one, or the middle of a block. */
#include <pthread.h>
#include <stdlib.h>

static char fallback[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int exhausted;

static char *buffer(void)
{
    pthread_mutex_lock(&lock);
    char *given = exhausted ? fallback : malloc(64);
    pthread_mutex_unlock(&lock);
    return given;
}

static void *exhaust(void *arg)
{
    pthread_mutex_lock(&lock);
    exhausted = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, exhaust, NULL);
    char *b = buffer();
#ifdef FIXED
    if (b != fallback)
#endif
#ifdef MIDDLE
        b += b == fallback ? 0 : 24;
#endif
    free(b); /* freed */
    pthread_join(t, NULL);
    return 0;
}
