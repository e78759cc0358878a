// A reader wants to write without giving its read lock back; or (TWICE) an initialiser takes the lock that is held around it.
#include <pthread.h>

#ifdef TWICE
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void init(void) {
    pthread_mutex_lock(&lock); // again
    ready = 1;
    pthread_mutex_unlock(&lock);
}

static void use(void) {
    pthread_mutex_lock(&lock); // first
    pthread_once(&once, init);
    pthread_mutex_unlock(&lock);
}
#else
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[4];

static void use(void) {
    pthread_rwlock_rdlock(&lock); // takes
    if (table[1] == 0) {
        pthread_rwlock_wrlock(&lock); // wants
        table[1] = 1;
        pthread_rwlock_unlock(&lock);
    }
    pthread_rwlock_unlock(&lock);
}
#endif

static void *other(void *arg) {
    (void)arg;
    use();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    use();
    pthread_join(t, 0);
    return 0;
}
