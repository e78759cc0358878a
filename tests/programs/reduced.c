/* Two or three threads that use one thing each, small enough for every interleaving to be run. Which
 * thing, the macro says. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static atomic_int word;
static int turn;
static const struct timespec moment = {0, 0};

#if defined SEMAPHORE
static void one(void) { sem_wait(&sem); }
static void two(void) { sem_post(&sem); sem_trywait(&sem); }
static void three(void) { sem_post(&sem); }
#elif defined TIMED
static void one(void) { if (sem_timedwait(&sem, &moment) == 0) atomic_store(&word, 1); }
static void two(void) { sem_post(&sem); atomic_load(&word); }
static void three(void) { int n; sem_getvalue(&sem, &n); if (n == 0) atomic_store(&word, 2); }
#elif defined CONDVAR
static void one(void) { pthread_mutex_lock(&lock); while (!turn) pthread_cond_wait(&changed, &lock); pthread_mutex_unlock(&lock); }
static void two(void) { pthread_mutex_lock(&lock); turn = 1; pthread_mutex_unlock(&lock); pthread_cond_signal(&changed); }
static void three(void) { pthread_cond_signal(&changed); }
#elif defined TIMED_CONDVAR
static void one(void) { pthread_mutex_lock(&lock); pthread_cond_timedwait(&changed, &lock, &moment); pthread_mutex_unlock(&lock); }
static void two(void) { pthread_mutex_lock(&lock); pthread_cond_broadcast(&changed); pthread_mutex_unlock(&lock); }
static void three(void) { pthread_cond_signal(&changed); }
#elif defined TRY_LOCK
static void one(void) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
static void two(void) { if (pthread_mutex_trylock(&lock) == 0) pthread_mutex_unlock(&lock); else atomic_store(&word, 1); }
static void three(void) { atomic_load(&word); if (pthread_mutex_trylock(&lock) == 0) pthread_mutex_unlock(&lock); }
#endif

static void *first(void *unused) { one(); return unused; }
static void *second(void *unused) { two(); return unused; }
static void *third(void *unused) { three(); return unused; }

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_create(&threads[2], NULL, third, NULL);
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
