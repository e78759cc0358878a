/* Two threads that take a read-write lock and a mutex (or a spin lock) in different orders. BOTH_READ: neither keeps the other out of the
 * read-write lock. SPIN: a spin lock in the place of the mutex. */
#include <pthread.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
#ifdef SPIN
static pthread_spinlock_t entry;
#define ENTER() pthread_spin_lock(&entry)
#define LEAVE() pthread_spin_unlock(&entry)
#else
static pthread_mutex_t entry = PTHREAD_MUTEX_INITIALIZER;
#define ENTER() pthread_mutex_lock(&entry)
#define LEAVE() pthread_mutex_unlock(&entry)
#endif
static int entries;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&table);
    ENTER();
    entries++;
    LEAVE();
    pthread_rwlock_unlock(&table);
    return unused;
}

static void *writer(void *unused)
{
    ENTER();
#ifdef BOTH_READ
    pthread_rwlock_rdlock(&table);
#else
    pthread_rwlock_wrlock(&table);
#endif
    entries++;
    pthread_rwlock_unlock(&table);
    LEAVE();
    return unused;
}

int main(void)
{
    pthread_t threads[2];
#ifdef SPIN
    pthread_spin_init(&entry, PTHREAD_PROCESS_PRIVATE);
#endif
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
