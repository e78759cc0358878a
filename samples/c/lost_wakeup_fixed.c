/* lost_wakeup.c put right: `ready` is looked at, and looked at again after every wait, with the lock
 * held under which it is set. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *setter(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t waiting, setting;
    pthread_create(&waiting, NULL, waiter, NULL);
    pthread_create(&setting, NULL, setter, NULL);
    pthread_join(waiting, NULL);
    pthread_join(setting, NULL);
    return 0;
}
