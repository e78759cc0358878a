/* Wrong: nothing makes the thread wait with its free until main has read. */
#include <pthread.h>
#include <stdlib.h>

static int *p;
static volatile int sink;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *give_back(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    free(p);
    return 0;
}

int main(void)
{
    pthread_t t;
    p = malloc(8);
    *p = 1;
    pthread_create(&t, 0, give_back, 0);
    sink = *p;
    pthread_join(t, 0);
    return 0;
}
