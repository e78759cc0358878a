/* indexer N: N threads put 4 messages each into a hash table of 128 places. Up to 11 threads no two
 * meet; from there each further one collides: 8^(N-11) executions. */
#include "counts.h"

enum { SIZE = 128, MESSAGES = 4 };

static pthread_mutex_t mutex[SIZE] = {[0 ... SIZE - 1] = PTHREAD_MUTEX_INITIALIZER};
static int table[SIZE];

/* A load and a store under the place's mutex. */
static int cas(int h, int expected, int value)
{
    pthread_mutex_lock(&mutex[h]);
    int done = table[h] == expected;
    if (done)
        table[h] = value;
    pthread_mutex_unlock(&mutex[h]);
    return done;
}

static void *put(void *id)
{
    int tid = (int)(intptr_t)id, m = 0;
    for (int n = 0; n < MESSAGES; n++) {
        int w = (++m) * 11 + tid;
        int h = w * 7 % SIZE;
        while (!cas(h, 0, w))
            h = (h + 1) % SIZE;
    }
    return NULL;
}

int main(void)
{
    run_all(N, put);
    return 0;
}
