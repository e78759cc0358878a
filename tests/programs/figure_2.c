/* The two threads of Figure 2 of Bruening and Chapin (paper 004), and with -DFIGURE_10 those of Figure 10.
   With -DSHARED sections 2 and 7 have something to do with each other. */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
/* Of static ones that nobody reads a compiler leaves the writes out. */
int shared, seen;

static void *one(void *unused) {
    pthread_mutex_lock(&a);
#ifdef SHARED
    shared = 1;
#endif
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *two(void *unused) {
    pthread_mutex_lock(&a);
#ifdef SHARED
    seen = shared;
#endif
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
#ifdef FIGURE_10
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
#endif
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, two, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
