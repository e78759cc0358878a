// `full` is set with what is put and never taken back: the second round finds it set, and nothing there.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;
static bool full;

static void put(void)
{
    pthread_mutex_lock(&m);
    count++; // puts
    full = true; // fills
    pthread_mutex_unlock(&m);
}

static int take(void)
{
    if (count == 0) // finds
        return -1;
    count--; // takes
    return 0;
}

static void *producer(void *unused)
{
    (void)unused;
    put();
    put();
    return 0;
}

static void *consumer(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m); // round
        if (full) // guard
            assert(take() == 0); // judges
        pthread_mutex_unlock(&m); // leaves
    }
    return 0;
}

int main(void)
{
    pthread_t p, c;
    pthread_create(&p, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    return 0;
}
