// A reader takes the lock once more while a writer waits for it, who goes first.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t table;
static int entries;

static void *reads(void *unused)
{
    pthread_rwlock_rdlock(&table); // first
    pthread_rwlock_rdlock(&table); // again
    int found = entries;
    pthread_rwlock_unlock(&table);
    pthread_rwlock_unlock(&table);
    return found ? unused : 0;
}

int main(void)
{
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&table, &attributes);
    pthread_t t;
    pthread_create(&t, 0, reads, 0);
    pthread_rwlock_wrlock(&table); // writes
    entries = 1;
    pthread_rwlock_unlock(&table);
    pthread_join(t, 0);
    return 0;
}
