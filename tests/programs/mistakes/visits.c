/* What T1 waits for is `go`, which nobody sets. It counts its visits under the same lock, as T2 does. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int visits, go;

static void *waits(void *unused)
{
    pthread_mutex_lock(&m);
    visits++;
    while (!go)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *visits_too(void *unused)
{
    pthread_mutex_lock(&m);
    visits++;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waits, NULL);
    pthread_create(&b, NULL, visits_too, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
