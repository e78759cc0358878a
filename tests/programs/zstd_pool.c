/* Drives the thread pool of Zstandard (zstd/lib/common/pool.c, fetched by the test).
 *
 * As Zstandard uses it, it is right: jobs are added and awaited by one thread. With CONCURRENT a
 * second thread adds a job while the first awaits them all. Pushers and joiners wait on the same
 * condition variable, and a worker signals it once per event: where the joiner takes both signals
 * of the last job, the pusher is never woken, and main waits for it for ever. */
#define ZSTD_MULTITHREAD
#include "pool.c"

#include <assert.h>
#include <stdatomic.h>

static atomic_int done;

static void job(void *unused)
{
    (void)unused;
    atomic_fetch_add(&done, 1);
}

static void *pusher(void *pool)
{
    POOL_add(pool, job, NULL);
    return NULL;
}

int main(void)
{
#ifdef CONCURRENT
    POOL_ctx *pool = POOL_create(1, 1);
    pthread_t thread;
    POOL_add(pool, job, NULL);
    pthread_create(&thread, NULL, pusher, pool);
    POOL_joinJobs(pool);
    pthread_join(thread, NULL);
    POOL_joinJobs(pool);
    assert(done == 2);
#else
    POOL_ctx *pool = POOL_create(2, 1);
    (void)pusher;
    for (int i = 0; i < 3; i++)
        POOL_add(pool, job, NULL);
    POOL_joinJobs(pool);
    assert(done == 3);
#endif
    POOL_free(pool);
    return 0;
}
