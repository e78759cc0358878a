/* The consumer looks again after its wait, in a loop. Wrong: its look and its taking are two critical sections, and
 * a thief comes between. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, items;

static void *consumer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    int got = items;
    items = 0;
    pthread_mutex_unlock(&m);
    assert(got == 1);
    return 0;
}

static void *producer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    ready = 1;
    items = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}

static void *thief(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    if (items)
        items--;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], 0, consumer, 0);
    pthread_create(&t[1], 0, producer, 0);
    pthread_create(&t[2], 0, thief, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
