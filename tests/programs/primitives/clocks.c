/* What clocks and sleeps answer, and that nothing goes back. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

static long long now(clockid_t id)
{
    struct timespec t;
    assert(clock_gettime(id, &t) == 0);
    return t.tv_sec * SECOND + t.tv_nsec;
}

static void sleeps(void)
{
    struct timespec half = {0, SECOND / 2}, wrong = {0, SECOND}, negative = {-1, 0}, at = {1, 0};
    long long monotonic = now(CLOCK_MONOTONIC), real = now(CLOCK_REALTIME);
    assert(sleep(3) == 0 && usleep(1500000) == 0 && nanosleep(&half, NULL) == 0);
    assert(now(CLOCK_MONOTONIC) - monotonic >= 5 * SECOND && now(CLOCK_REALTIME) - real >= 5 * SECOND);
    assert(nanosleep(&wrong, NULL) == -1 && errno == EINVAL);
    assert(nanosleep(&negative, NULL) == -1 && errno == EINVAL);
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, NULL) == EINVAL);
    assert(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &half, NULL) == EINVAL);
    assert(clock_nanosleep(99, 0, &half, NULL) == EINVAL);
    /* A moment that is over. */
    monotonic = now(CLOCK_MONOTONIC);
    assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == 0);
    assert(now(CLOCK_MONOTONIC) - monotonic < SECOND);
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += 5;
    assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == 0);
    assert(now(CLOCK_MONOTONIC) >= at.tv_sec * SECOND + at.tv_nsec);
}

static void clocks(void)
{
    struct timespec at;
    struct timeval day;
    struct rusage used;
    struct tms ticks;
    clockid_t mine;
    clock_t before = clock();
    for (int i = 0; i < 4; i++) {
        nanosleep(&(struct timespec){0, 400000000}, NULL);
        assert(clock() >= before);
        before = clock();
    }
    assert(clock_gettime(99, &at) == -1 && errno == EINVAL);
    assert(pthread_getcpuclockid(pthread_self(), &mine) == 0 && now(mine) > 0);
    assert(gettimeofday(&day, NULL) == 0 && day.tv_sec <= time(NULL) && now(CLOCK_REALTIME) / SECOND >= day.tv_sec);
    assert(getrusage(RUSAGE_SELF, &used) == 0 && getrusage(77, &used) == -1 && errno == EINVAL);
    assert(times(&ticks) >= 0 && sched_getcpu() >= 0);
}

/* By a clock that nobody can wait by. */
static void waits(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    struct timespec past = {0, 0}, wrong = {0, SECOND};
    assert(pthread_mutex_clocklock(&lock, CLOCK_TAI, &past) == EINVAL);
    assert(pthread_rwlock_clockrdlock(&shared, CLOCK_TAI, &past) == EINVAL);
    assert(pthread_rwlock_clockwrlock(&shared, CLOCK_TAI, &past) == EINVAL);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_cond_clockwait(&never, &lock, CLOCK_TAI, &past) == EINVAL);
    assert(pthread_cond_timedwait(&never, &lock, &wrong) == EINVAL);
    assert(pthread_cond_clockwait(&never, &lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
}

int main(void)
{
    sleeps();
    clocks();
    waits();
    return 0;
}
