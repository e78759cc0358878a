// A number and a mutex, both of which are reached by `q->lock`: the one does not point to the other.
#include <pthread.h>
#include <stdlib.h>

struct number { int lock; };
struct guard { pthread_mutex_t lock; };
static struct number *numbers;
static struct guard *guards;

static void *work(void *unused)
{
    struct guard *q = guards;
    pthread_mutex_lock(&q->lock); // is never given back
    {
        struct number *q = numbers;
        q->lock++;
    }
    return unused;
}

int main(void)
{
    pthread_t t, u;
    numbers = calloc(1, sizeof *numbers);
    guards = calloc(1, sizeof *guards);
    pthread_mutex_init(&guards->lock, NULL);
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
