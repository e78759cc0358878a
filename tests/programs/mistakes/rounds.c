/* The consumer believes a flag that says that there was something once. What the producer does in two rounds of its
 * loop is no one step, and making it one would mend nothing. */
#include <assert.h>
#include <pthread.h>

enum { ROUNDS = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int filled;
static int begun;

static void *produce(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        filled++;
        begun = 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *consume(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        if (begun) {
            assert(filled > 0);
            filled--;
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&consumer, 0, consume, 0);
    pthread_join(producer, 0);
    pthread_join(consumer, 0);
    return 0;
}
