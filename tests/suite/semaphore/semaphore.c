/* A semaphore of one is a lock.
 * TWO: it lets two in. NO_POST: it is not given back. */
#include "../suite.h"
#include <assert.h>
#include <semaphore.h>

static sem_t inside;
static int counter;

static void *count(void *unused)
{
    sem_wait(&inside);
    counter++;
#ifndef NO_POST
    sem_post(&inside);
#endif
    return unused;
}

int main(void)
{
#ifdef TWO
    sem_init(&inside, 0, 2);
#else
    sem_init(&inside, 0, 1);
#endif
    RUN(count, count);
    assert(counter == 2);
    return 0;
}
