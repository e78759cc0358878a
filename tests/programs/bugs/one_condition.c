/* The queue of capacity 1 with one condition variable for both conditions: a `signal` may wake one of its
 * own kind. One producer of two items, two consumers of one. */
#include "../counts/counts.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int filled;

static void turn(int until)
{
    pthread_mutex_lock(&lock);
    while (filled != until)
        pthread_cond_wait(&changed, &lock);
    filled = !until;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void *work(void *id)
{
    turn(id != NULL);
    if (id == NULL)
        turn(0);
    return NULL;
}

int main(void)
{
    run_all(3, work);
    return 0;
}
