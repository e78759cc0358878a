/* Used before it was initialised: zeros make a lock, so that nothing comes of it most of the time. What it is, is
 * chosen by WHAT: 0 a mutex, 1 a condition variable, 2 a semaphore. With -DFIXED it is initialised first; with
 * -DAGAIN it is initialised once more when nobody uses it any more, which is right too. */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m, guard = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
static sem_t s;

static void initialise(void)
{
#if WHAT == 0
    pthread_mutex_init(&m, NULL); /* initialised 0 */
#elif WHAT == 1
    pthread_cond_init(&c, NULL); /* initialised 1 */
#else
    sem_init(&s, 0, 1); /* initialised 2 */
#endif
}

static void *use(void *arg)
{
#if WHAT == 0
    pthread_mutex_lock(&m); /* used 0 */
    pthread_mutex_unlock(&m); /* given back */
#elif WHAT == 1
    pthread_mutex_lock(&guard);
    pthread_cond_signal(&c); /* used 1 */
    pthread_mutex_unlock(&guard);
#else
    sem_post(&s); /* used 2 */
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
#ifdef FIXED
    initialise();
#endif
    pthread_create(&t, NULL, use, NULL);
#ifndef FIXED
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    initialise();
#endif
    pthread_join(t, NULL);
#ifdef AGAIN
    initialise();
#endif
    return 0;
}
