/* Small random numbers: each value is one of several. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void test_eight(void) { assert(arc4random_uniform(8) != 7); }
void test_right(void) { assert(arc4random_uniform(8) < 8); }
void test_one(void) { assert(arc4random_uniform(1) == 0); }
void test_nine(void) { assert(arc4random_uniform(9) < 9); }

static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *takes_two(void *of)
{
    unsigned first = arc4random_uniform(3), second = (first + 1) % 3;
    pthread_mutex_lock(&locks[first]);
    pthread_mutex_lock(&locks[second]);
    pthread_mutex_unlock(&locks[second]);
    pthread_mutex_unlock(&locks[first]);
    return of;
}

/* Three philosophers who sit down anywhere: a deadlock needs three different places. */
void test_philosophers(void)
{
    pthread_t others[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&others[i], NULL, takes_two, NULL);
    takes_two(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(others[i], NULL);
}
