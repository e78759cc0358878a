/* A condition deadlock: a wake-up that is lost.
 *
 * Wrong: the waiter looks at `ready` and only then takes the lock and waits. If the other thread sets
 * it and signals in between, nobody is waiting yet; the signal is lost, and the waiter waits for ever.
 * `ready` is atomic, so there is no data race.
 * Right: lost_wakeup_fixed.c (look, and look again, with the lock held). */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *waiter(void *unused)
{
    (void)unused;
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *setter(void *unused)
{
    (void)unused;
    atomic_store(&ready, 1);
    pthread_mutex_lock(&lock);
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
