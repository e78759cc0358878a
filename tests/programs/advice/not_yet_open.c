// Both sides take the lock, but nothing makes the reader wait until there is something: it uses what it found; with JUDGED
// main looks afterwards at what it could do. With LOOKS_ON it looks more than once.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *config;
#ifdef JUDGED
static int lost;
#endif

static void *opens(void *unused)
{
    static int value = 5;
    pthread_mutex_lock(&m);
    config = &value; // opens
    pthread_mutex_unlock(&m);
    return unused;
}

static void *uses(void *unused)
{
    int *found = 0;
#ifdef LOOKS_ON
    for (int i = 0; i < 2; i++)
#endif
    {
        pthread_mutex_lock(&m);
        found = config; // finds nothing
        pthread_mutex_unlock(&m);
    }
#ifdef JUDGED
    lost = !found;
    return unused;
#else
    (void)unused;
    return found + *found;
#endif
}

int main(void)
{
    pthread_t a, b;
#ifdef JUDGED
    (void)a;
    pthread_create(&b, 0, uses, 0);
    opens(0);
#else
    pthread_create(&a, 0, opens, 0);
    pthread_create(&b, 0, uses, 0);
    pthread_join(a, 0);
#endif
    pthread_join(b, 0);
#ifdef JUDGED
    assert(!lost);
#endif
    return 0;
}
