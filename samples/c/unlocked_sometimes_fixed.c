/* unlocked_sometimes.c put right: `total` is read with the lock held that it belongs to. */
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
    if (done)
        reported = total;
    pthread_mutex_unlock(&lock);
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
