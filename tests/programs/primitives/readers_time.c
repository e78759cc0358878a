/* A reader does not know how late it is for another one, who comes in no order with it: the same in every execution. */
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static time_t now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec;
}

static void *late(void *unused)
{
    sleep(5);
    assert(FIRST(&lock) == 0);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    time_t begin = now();
    pthread_create(&thread, NULL, late, NULL);
    if (THEN(&lock) == 0) {
        pthread_rwlock_unlock(&lock);
        assert(IS_LATER(now() - begin >= 5));
    }
    pthread_join(thread, NULL);
    assert(now() - begin >= 5);
    return 0;
}
