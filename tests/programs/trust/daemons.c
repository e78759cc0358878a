/* main ends the process while two threads go round and round. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ticks;

static void *ticker(void *x)
{
    for (;;) {
        usleep(1000);
        pthread_mutex_lock(&m);
        ticks++;
        assert(ticks != WRONG);
        pthread_mutex_unlock(&m);
    }
    return x;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, ticker, 0);
    exit(0);
}
