#include "queue.h"
#include <assert.h>
#include <stdint.h>

static struct queue q;

static void *take(void *arg) {
    (void)arg;
    return (void *)(intptr_t)queue_take(&q);
}

int main(void) {
    pthread_t takers[2];
    void *taken[2];
    queue_init(&q);
    for (int i = 0; i < 2; i++)
        pthread_create(&takers[i], NULL, take, NULL);
    queue_put(&q, 1);
    queue_put(&q, 2);
    for (int i = 0; i < 2; i++)
        pthread_join(takers[i], &taken[i]);
    assert((intptr_t)taken[0] + (intptr_t)taken[1] == 3);
    return 0;
}
