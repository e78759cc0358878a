/* Each thread keeps a buffer under a key, whose destructor frees it at the thread's end.
 * LENT: a thread gives its buffer to main, who uses it when the thread has ended. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_key_t key;
static atomic_int destroyed;
static int *lent;

static void destroy(void *buffer)
{
    atomic_fetch_add(&destroyed, *(int *)buffer);
    free(buffer);
}

static void *work(void *unused)
{
    int *buffer = malloc(sizeof *buffer);
    *buffer = 1;
    pthread_setspecific(key, buffer);
    assert(pthread_getspecific(key) == buffer);
    lent = NULL;
    return unused;
}

static void *lend(void *unused)
{
    int *buffer = malloc(sizeof *buffer);
    *buffer = 1;
    pthread_setspecific(key, buffer);
    lent = buffer;
    return unused;
}

int main(void)
{
    pthread_key_create(&key, destroy);
#ifdef LENT
    RUN(lend);
    assert(*lent == 1);
#else
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(second, NULL);
    assert(destroyed == 2);
#endif
    return 0;
}
