// A detached thread uses a lock in a static object that main may destroy first. By default it comes first, since main waits
// for it, and nothing but the end of the process comes after it.
#include <pthread.h>
#include <semaphore.h>

static sem_t begun;

struct Logger {
    pthread_mutex_t m;
    Logger() { pthread_mutex_init(&m, nullptr); }
    ~Logger() {}
};

static Logger logger;

static void *logs(void *unused) {
#ifdef FIXED
    pthread_mutex_lock(&logger.m);
    pthread_mutex_unlock(&logger.m);
    sem_post(&begun);
#else
    sem_post(&begun);
    pthread_mutex_lock(&logger.m);
    pthread_mutex_unlock(&logger.m);
#endif
    return unused;
}

int main() {
    sem_init(&begun, 0, 0);
    pthread_t t;
    pthread_create(&t, nullptr, logs, nullptr);
    pthread_detach(t);
    sem_wait(&begun);
}
