/* Two threads wait for a gate; opening it wakes all of them.
 * SIGNAL: it wakes one. */
#include "../suite.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open;

static void *pass(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!open)
        pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *porter(void *unused)
{
    pthread_mutex_lock(&lock);
    open = 1;
#ifdef SIGNAL
    pthread_cond_signal(&opened);
#else
    pthread_cond_broadcast(&opened);
#endif
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(pass, pass, porter);
    return 0;
}
