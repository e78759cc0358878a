/* Leaks 64 KiB in every execution: without roll-back of the heap 100,000 executions would need
 * 6 GiB. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds;

static void *worker(void *unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        char *lost = malloc(8192);
        memset(lost, i, 8192);
        rounds++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&other, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return rounds == 8 ? 0 : 1;
}
