/* Two readers and a writer under a read-write lock.
 * READ_ONLY: the writer takes it for reading. UPGRADE: it takes it for reading and then, without giving it back, for writing. */
#include "../suite.h"
#include <assert.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int first, second;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    assert(first == second);
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *writer(void *unused)
{
#if defined READ_ONLY || defined UPGRADE
    pthread_rwlock_rdlock(&lock);
#endif
#ifndef READ_ONLY
    pthread_rwlock_wrlock(&lock);
#endif
    first++;
    second++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(reader, reader, writer);
    return 0;
}
