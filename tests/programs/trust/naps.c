// A helper that sleeps, called twice in a row, is no loop: main can read b == 1, at the cost of a preemption. With NAP of them:
// 0 usleep, 1 sched_yield, 2 sem_timedwait, 3 pthread_cond_timedwait, 4 a try in vain.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

atomic_int a, b;
sem_t none;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void nap(void) {
    struct timespec soon = {1, 0};
    (void)soon;
#if NAP == 0
    usleep(1000);
#elif NAP == 1
    sched_yield();
#elif NAP == 2
    sem_timedwait(&none, &soon);
#elif NAP == 3
    pthread_mutex_lock(&m);
    pthread_cond_timedwait(&never, &m, &soon);
    pthread_mutex_unlock(&m);
#else
    pthread_mutex_trylock(&held);
#endif
}

static void *worker(void *unused) {
    nap();
    a = 1;
    nap();
    b = 1;
    return unused;
}

int main(void) {
    pthread_t t;
    sem_init(&none, 0, 0);
    pthread_mutex_lock(&held);
    pthread_create(&t, 0, worker, 0);
    assert(!b);
    pthread_join(t, 0);
}
