/* What POSIX leaves undefined about mutexes, condition variables and threads, one by one: -DHOW=n. With -DFIXED each is
 * as it should be. With -DCHECKED=1 the mutex is an error-checking one, with -DCHECKED=2 a recursive one. */
#ifndef HOW
#define HOW 0
#endif
#ifndef CHECKED
#define CHECKED 0
#endif
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int ready, told = EPERM;

static void make(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    const int kinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE};
    pthread_mutexattr_settype(&attr, kinds[CHECKED]);
    pthread_mutex_init(&m, &attr);
    pthread_mutexattr_destroy(&attr);
    sem_init(&s, 0, 0);
}

static void *other(void *arg)
{
#if HOW == 0 /* gives back what another holds */
#ifdef FIXED
    pthread_mutex_lock(&m);
#endif
    told = pthread_mutex_unlock(&m); /* unlocked */
#elif HOW == 1 /* takes what it has */
    pthread_mutex_lock(&m);          /* first */
#ifndef FIXED
    told = pthread_mutex_lock(&m); /* again */
    if (CHECKED == 2)
        pthread_mutex_unlock(&m);
#endif
    pthread_mutex_unlock(&m);
#elif HOW == 2 /* waits without its mutex */
#ifdef FIXED
    pthread_mutex_lock(&m);
#endif
    if (!ready)
        told = pthread_cond_wait(&c, &m); /* waited */
#ifdef FIXED
    pthread_mutex_unlock(&m);
#endif
#elif HOW == 3 || HOW == 5 /* is there when what it uses is destroyed, or comes after */
    pthread_mutex_lock(&m); /* used */
    pthread_mutex_unlock(&m);
#elif HOW == 4
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m); /* slept */
    pthread_mutex_unlock(&m);
#elif HOW == 6
    sem_wait(&s); /* taken */
#elif HOW == 9
    sem_wait(&s);
    pthread_mutex_lock(&m); /* used after */
    pthread_mutex_unlock(&m);
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    make();
    pthread_create(&t, NULL, other, NULL);
#if HOW == 0
    pthread_mutex_lock(&m); /* held by main */
    pthread_mutex_unlock(&m);
#elif HOW == 2
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
#elif HOW == 3
    pthread_mutex_lock(&m); /* held by destroyer */
#ifdef FIXED
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
#endif
    pthread_mutex_destroy(&m); /* mutex destroyed */
#elif HOW == 4
#ifdef FIXED
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
#else
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#endif
    pthread_cond_destroy(&c); /* destroyed 4 */
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
#elif HOW == 5
#ifdef FIXED
    pthread_join(t, NULL);
#endif
    pthread_mutex_destroy(&m); /* destroyed 5 */
#elif HOW == 6
    sem_post(&s);
#ifdef FIXED
    pthread_join(t, NULL);
#endif
    sem_destroy(&s); /* destroyed 6 */
#elif HOW == 7
    pthread_join(t, NULL); /* joined first */
#elif HOW == 8
    pthread_detach(t); /* detached first */
#elif HOW == 9
    pthread_mutex_destroy(&m); /* destroyed 9 */
#ifdef FIXED
    pthread_mutex_init(&m, NULL);
#endif
    sem_post(&s);
#endif
#if !(defined FIXED && (HOW == 3 || HOW == 5 || HOW == 6 || HOW == 7 || HOW == 8))
    pthread_join(t, NULL); /* joined */
#endif
    assert(!CHECKED || told == (HOW == 0 ? EPERM : CHECKED == 1 ? EDEADLK : 0));
    return 0;
}
