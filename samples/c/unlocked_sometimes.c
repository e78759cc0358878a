/* A violation of the locking discipline that shows in some schedules only.
 *
 * Wrong: `total` belongs to `lock`, but the reporter, if it finds that all work is done, reads it
 * without: one of the workers may have said so before its own last change. Where the reporter comes
 * first, or last, it does not touch `total` at all or nothing is left to be changed.
 * Right: unlocked_sometimes_fixed.c (read with the lock held). */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
static int total;
static int reported;

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    total += 10;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *reporter(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    int finished = done;
    pthread_mutex_unlock(&lock);
    if (finished)
        reported = total;
    return NULL;
}

int main(void)
{
    pthread_t working, reporting;
    pthread_create(&reporting, NULL, reporter, NULL);
    pthread_create(&working, NULL, worker, NULL);
    pthread_join(reporting, NULL);
    pthread_join(working, NULL);
    return reported > total;
}
