/* Every execution frees and reallocates memory that was allocated before main. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *early[8];

__attribute__((constructor)) static void allocate(void)
{
    for (int i = 0; i < 8; i++) {
        early[i] = malloc(1000);
        memset(early[i], 'a' + i, 1000);
    }
}

static void *worker(void *argument)
{
    int first = *(int *)argument;
    for (int i = first; i < first + 4; i++) {
        pthread_mutex_lock(&lock);
        assert(early[i][999] == 'a' + i);
        if (i % 2) {
            free(early[i]);
            early[i] = NULL;
        } else {
            early[i] = realloc(early[i], 5000);
            assert(early[i][999] == 'a' + i);
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    int from[2] = {0, 4};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, &from[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
