// What one thread gives back the other still has: a block, freed twice (0) or counted in (1); a lock, destroyed by who drops the last
// reference while nothing orders that and the other one's use (2), or surely before it (3).
#include <pthread.h>
#include <stdlib.h>

#ifndef MODE
#define MODE 0
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

#if MODE < 2
static char *buffer;

static void *cleanup(void *unused)
{
    pthread_mutex_lock(&m);
    char *b = buffer;
    pthread_mutex_unlock(&m);
    if (b) {
        pthread_mutex_lock(&m);
        free(b); // gives back 0, // uses 0, // gives back 1
        buffer = 0;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

#if MODE == 1
static void *user(void *unused)
{
    pthread_mutex_lock(&m);
    char *b = buffer;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    if (b)
        b[0]++; // uses 1
    pthread_mutex_unlock(&m);
    return unused;
}
#else
#define user cleanup
#endif

int main(void)
{
    buffer = calloc(32, 1);
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, cleanup, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
#else
static struct { pthread_mutex_t lock; int refs; } shared;
static int told;

static void *closer(void *unused)
{
    pthread_mutex_lock(&shared.lock);
    int last = --shared.refs == 0;
    pthread_mutex_unlock(&shared.lock);
    if (last)
        pthread_mutex_destroy(&shared.lock); // gives back 2, // gives back 3
#if MODE == 3
    pthread_mutex_lock(&m);
    told = 1;
    pthread_mutex_unlock(&m);
#endif
    return unused;
}

static void *reader(void *unused)
{
#if MODE == 3
    pthread_mutex_lock(&m);
    int late = told;
    pthread_mutex_unlock(&m);
    if (!late)
        return unused;
#endif
    pthread_mutex_lock(&shared.lock); // uses 2, // uses 3
    pthread_mutex_unlock(&shared.lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutex_init(&shared.lock, 0);
    shared.refs = 1;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, closer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
#endif
