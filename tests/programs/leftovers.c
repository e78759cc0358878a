/* What an execution might leave to the next: lists of freed blocks in a thread that allocates
 * nothing, errno, closed and replaced descriptors, time, buffers that the system fills, the
 * random device (served from its start whenever it is opened). */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char padding[40000], contents[20000];
static struct stat status;
static void *passed[2];

/* Frees what T0 allocated, then takes a block of that size itself. */
static void *frees(void *which)
{
    free(passed[(long)which]);
    return NULL;
}

static void *sleeps(void *unused)
{
    sleep(2);
    return unused;
}

int main(void)
{
    assert(errno == 0 && padding[20000] == 0);
    padding[20000] = 1;
    pthread_t threads[2];
    for (long n = 0; n < 2; n++) {
        passed[n] = malloc(100);
        pthread_create(&threads[n], NULL, frees, (void *)n);
    }
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    assert(malloc(100) != malloc(100));

    assert(stat("/", &status) == 0 && S_ISDIR(status.st_mode));
    FILE *file = fopen("/proc/self/exe", "r");
    assert(file && fread(contents, 1, sizeof contents, file) == sizeof contents);

    unsigned char random[2][16];
    for (int n = 0; n < 2; n++) {
        int device = open("/dev/urandom", O_RDONLY);
        assert(read(device, random[n], sizeof random[n]) == sizeof random[n]);
        close(device);
    }
    assert(memcmp(random[0], random[1], sizeof random[0]) == 0);

    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    pthread_create(&threads[0], NULL, sleeps, NULL);
    pthread_join(threads[0], NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec - before.tv_sec >= 2);

    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 5;
    pthread_mutex_lock(&lock);
    int result = 0;
    while (result == 0)
        result = pthread_cond_timedwait(&never, &lock, &deadline);
    pthread_mutex_unlock(&lock);
    clock_gettime(CLOCK_REALTIME, &after);
    assert(result == ETIMEDOUT && after.tv_sec >= deadline.tv_sec);

    assert(close(0) == 0 && open("/dev/null", O_RDONLY) == 0);
    assert(dup2(1, 2) == 2 && dup2(1, 60) == 60);
    errno = EDOM;
    return 0;
}
