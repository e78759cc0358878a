/* Two threads take the same two locks, in the same order.
 * OPPOSITE: one of them the other way round. */
#include "../suite.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void move(pthread_mutex_t *from, pthread_mutex_t *to)
{
    pthread_mutex_lock(from);
    pthread_mutex_lock(to);
    balance++;
    pthread_mutex_unlock(to);
    pthread_mutex_unlock(from);
}

static void *there(void *unused)
{
    move(&first, &second);
    return unused;
}

static void *back(void *unused)
{
#ifdef OPPOSITE
    move(&second, &first);
#else
    move(&first, &second);
#endif
    return unused;
}

int main(void)
{
    RUN(there, back);
    return 0;
}
