/* A barrier of two that is used twice: who waits does so until the generation changes.
 * NO_GENERATION: until nobody is there, which may be over when it looks. */
#include "../suite.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_there = PTHREAD_COND_INITIALIZER;
static int there, generation;

static void barrier(void)
{
    pthread_mutex_lock(&lock);
    if (++there == 2) {
        there = 0;
        generation++;
        pthread_cond_broadcast(&all_there);
    } else {
#ifdef NO_GENERATION
        while (there != 0)
            pthread_cond_wait(&all_there, &lock);
#else
        int mine = generation;
        while (mine == generation)
            pthread_cond_wait(&all_there, &lock);
#endif
    }
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    barrier();
    barrier();
    return unused;
}

int main(void)
{
    RUN(work, work);
    assert(generation == 2);
    return 0;
}
