/* Threads that the arguments spell, two letters an operation: what a simulated program is, done to
   real objects. See agreement.rs. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t condvars[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static pthread_rwlock_t rwlocks[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static pthread_barrier_t barriers[2];
static sem_t semaphores[2];
static _Atomic long variables[2];

static void operation(char what, int n) {
    const struct timespec moment = {0, 0};
    long zero = 0;
    switch (what) {
    case 'L': pthread_mutex_lock(&mutexes[n]); break;
    case 'U': pthread_mutex_unlock(&mutexes[n]); break;
    case 'T': if (pthread_mutex_trylock(&mutexes[n]) == 0) pthread_mutex_unlock(&mutexes[n]); break;
    case 'M': if (pthread_mutex_timedlock(&mutexes[n], &moment) == 0) pthread_mutex_unlock(&mutexes[n]); break;
    case 'R': pthread_rwlock_rdlock(&rwlocks[n]); break;
    case 'E': pthread_rwlock_wrlock(&rwlocks[n]); break;
    case 'V': pthread_rwlock_unlock(&rwlocks[n]); break;
    case 'r': if (pthread_rwlock_tryrdlock(&rwlocks[n]) == 0) pthread_rwlock_unlock(&rwlocks[n]); break;
    case 'e': if (pthread_rwlock_trywrlock(&rwlocks[n]) == 0) pthread_rwlock_unlock(&rwlocks[n]); break;
    case 'd': if (pthread_rwlock_timedrdlock(&rwlocks[n], &moment) == 0) pthread_rwlock_unlock(&rwlocks[n]); break;
    case 'D': if (pthread_rwlock_timedwrlock(&rwlocks[n], &moment) == 0) pthread_rwlock_unlock(&rwlocks[n]); break;
    case 'B': pthread_barrier_wait(&barriers[n]); break;
    case 'W': pthread_cond_wait(&condvars[n], &mutexes[n]); break;
    case 'w': pthread_cond_timedwait(&condvars[n], &mutexes[n], &moment); break;
    case 'N': pthread_cond_signal(&condvars[n]); break;
    case 'A': pthread_cond_broadcast(&condvars[n]); break;
    case 'S': sem_wait(&semaphores[n]); break;
    case 's': sem_timedwait(&semaphores[n], &moment); break;
    case 'Y': sem_trywait(&semaphores[n]); break;
    case 'P': sem_post(&semaphores[n]); break;
    case 'l': (void)atomic_load(&variables[n]); break;
    case 'x': atomic_store(&variables[n], 1); break;
    case 'f': atomic_fetch_add(&variables[n], 1); break;
    case 'c': atomic_compare_exchange_strong(&variables[n], &zero, 1); break;
    case 'g': sched_yield(); break;
    case 'q': exit(0);
    case 'a': abort();
    }
}

static void *body(void *text) {
    /* On the stack: a lock is given back at another word than it was taken at, so in another state,
       as in the simulated program, which has no loop. */
    for (const char *volatile c = text; *c; c += 2) {
        operation(c[0], c[1] - '0');
    }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[8];
    pthread_barrier_init(&barriers[0], NULL, 2);
    pthread_barrier_init(&barriers[1], NULL, 2);
    sem_init(&semaphores[0], 0, 0);
    sem_init(&semaphores[1], 0, 0);
    for (int i = 1; i < argc && i <= 8; i++) {
        pthread_create(&threads[i - 1], NULL, body, argv[i]);
    }
    for (int i = 1; i < argc && i <= 8; i++) {
        pthread_join(threads[i - 1], NULL);
    }
    return 0;
}
