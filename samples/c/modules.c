/* Two modules, each correct by itself: a cache that writes what it drops into a journal, and a
 * journal that asks the cache for what it has not got. Each guards itself with a lock of its own.
 *
 * Wrong: `cache_drop` calls the journal with the cache's lock held, and `journal_replay` the cache
 * with the journal's. Neither module shows it; together they lock in a cycle.
 * Right: modules_fixed.c (a module calls another one without a lock of its own). */
#include <pthread.h>

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static int cached = 7;

static pthread_mutex_t journal_lock = PTHREAD_MUTEX_INITIALIZER;
static int journal[2];
static int entries;

/* The journal. */

static void journal_write(int value)
{
    pthread_mutex_lock(&journal_lock);
    journal[entries++] = value;
    pthread_mutex_unlock(&journal_lock);
}

static int cache_get(void);

static void journal_replay(void)
{
    pthread_mutex_lock(&journal_lock);
    int value = entries > 0 ? journal[0] : cache_get();
    journal[entries++] = value;
    pthread_mutex_unlock(&journal_lock);
}

/* The cache. */

static int cache_get(void)
{
    pthread_mutex_lock(&cache_lock);
    int value = cached;
    pthread_mutex_unlock(&cache_lock);
    return value;
}

static void cache_drop(void)
{
    pthread_mutex_lock(&cache_lock);
    journal_write(cached);
    cached = 0;
    pthread_mutex_unlock(&cache_lock);
}

static void *dropping(void *unused)
{
    (void)unused;
    cache_drop();
    return NULL;
}

static void *replaying(void *unused)
{
    (void)unused;
    journal_replay();
    return NULL;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, replaying, NULL);
    pthread_create(&other, NULL, dropping, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return entries != 2;
}
