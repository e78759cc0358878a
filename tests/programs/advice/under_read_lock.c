// Two threads add under a read lock, which keeps neither of them out; with UNLOCKED one of them reads under none.
#include <pthread.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static int total;

static void *adds(void *unused)
{
    pthread_rwlock_rdlock(&table); // for reading
    total = 1;                     // writes
    pthread_rwlock_unlock(&table);
    return unused;
}

#ifdef UNLOCKED
static void *looks(void *unused)
{
    return total ? unused : &total; // reads
}
#else
#define looks adds
#endif

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, adds, 0);
    pthread_create(&b, 0, looks, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return total != 1;
}
