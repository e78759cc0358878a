/* Locks on the heap that are taken by macros of a header; HOW says by which. The other one of a line is taken by name. */
#include <locks.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t lock;
    int n;
};
static struct queue *hidden;

static inline void take(int n, pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    (void)n;
}

static void *forth(void *arg)
{
    struct queue *first = ((struct queue **)arg)[0], *second = ((struct queue **)arg)[1];
#if HOW == 0
    MUTEX_LOCK(&first->lock); pthread_mutex_lock(&second->lock); /* forth */
#elif HOW == 1
    lock_it(first); pthread_mutex_lock(&second->lock); /* forth */
#elif HOW == 2
    OWN(first); pthread_mutex_lock(&second->lock); /* forth */
#elif HOW == 3
    VIA(first); pthread_mutex_lock(&second->lock); /* forth */
#elif HOW == 4
    ENTER; pthread_mutex_lock(&second->lock); /* forth */
#elif HOW == 5
    BOTH(first, second); /* forth */
#elif HOW == 7
    BOTH(first, second); /* forth */
    NEITHER(first, second);
    return NULL;
#elif HOW == 6
#undef lock_it
#define lock_it(q) pthread_mutex_lock(&(q)->lock)
    lock_it(first); pthread_mutex_lock(&second->lock); /* forth */
#endif
    first->n++;
    unlock_it(second);
    unlock_it(first);
    return NULL;
}

int main(void)
{
    struct queue *both[2] = {calloc(1, sizeof(struct queue)), calloc(1, sizeof(struct queue))};
    pthread_t thread;
    hidden = both[0];
    pthread_mutex_init(&both[0]->lock, NULL);
    pthread_mutex_init(&both[1]->lock, NULL);
    pthread_create(&thread, NULL, forth, both);
    pthread_join(thread, NULL);
    free(both[0]);
    free(both[1]);
    return 0;
}
