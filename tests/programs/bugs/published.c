/* A value is made on demand, once, by a check that is repeated with the lock held: it is said to be there before
 * it is. */
#include "../counts/counts.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready, value;

static void *work(void *unused)
{
    if (!LOAD(ready)) {
        pthread_mutex_lock(&lock);
        if (!LOAD(ready)) {
            STORE(ready, 1);
            STORE(value, 7);
        }
        pthread_mutex_unlock(&lock);
    }
    assert(LOAD(value) == 7);
    return unused;
}

int main(void)
{
    run_all(2, work);
    return 0;
}
