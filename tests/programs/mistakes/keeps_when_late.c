// Who gives up waiting for a seat returns with the lock.
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

static pthread_mutex_t hall = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static bool is_taken;

static bool sit(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&hall);
    while (is_taken)
        if (pthread_cond_timedwait(&left, &hall, &until) == ETIMEDOUT) // too late
            return false;
    is_taken = true;
    pthread_mutex_unlock(&hall);
    return true;
}

static void *guest(void *arg) {
    if (sit()) {
        pthread_mutex_lock(&hall); // leaves
        is_taken = false;
        pthread_cond_signal(&left);
        pthread_mutex_unlock(&hall);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, guest, NULL);
    pthread_create(&b, NULL, guest, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
