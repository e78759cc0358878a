/* One thread destroys a mutex that another uses: nothing orders the two, and no operation of one makes a difference to
 * the other, so that only one order of them is ever run under a reduction. With -DFIXED the one waits for the other. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t user;

static void *use(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m); /* used */
    return arg;
}

static void *destroy(void *arg)
{
#ifdef FIXED
    pthread_join(user, NULL);
#endif
    pthread_mutex_destroy(&m); /* destroyed */
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&user, NULL, use, NULL);
    pthread_create(&t, NULL, destroy, NULL);
    pthread_join(t, NULL);
#ifndef FIXED
    pthread_join(user, NULL);
#endif
    return 0;
}
