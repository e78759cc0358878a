/* Three threads take turns by one condition variable: `signal` where `broadcast` belongs, so whoever is woken
 * may not be the one whose turn it is. */
#include "../counts/counts.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void *work(void *id)
{
    pthread_mutex_lock(&lock);
    while (turn != (intptr_t)id)
        pthread_cond_wait(&changed, &lock);
    turn++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    run_all(3, work);
    return 0;
}
