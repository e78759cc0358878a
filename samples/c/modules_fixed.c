/* modules.c put right: each module calls the other one only when it holds no lock of its own. */
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
    int from_cache = cache_get();
    pthread_mutex_lock(&journal_lock);
    int value = entries > 0 ? journal[0] : from_cache;
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
    int dropped = cached;
    cached = 0;
    pthread_mutex_unlock(&cache_lock);
    journal_write(dropped);
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
