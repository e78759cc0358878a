#include <pthread.h>

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int items[4], count;
};

void queue_init(struct queue *q);
void queue_put(struct queue *q, int item);
int queue_take(struct queue *q);
