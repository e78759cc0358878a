/* A writer that waits for readers who keep the lock: two of them, or with TWICE one that has it twice and gives it back once. It
 * comes first, or never. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&lock);
#ifdef TWICE
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
#endif
    return unused;
}

static void *writer(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    assert(!"it comes first");
    return unused;
}

int main(void)
{
    pthread_t readers[2], last;
    int count = 2;
#ifdef TWICE
    count = 1;
#endif
    for (int i = 0; i < count; i++)
        pthread_create(&readers[i], NULL, reader, NULL);
    pthread_create(&last, NULL, writer, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(readers[i], NULL);
    return 0;
}
