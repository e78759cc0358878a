/* Its default schedule fails at the end, so that a report shows every event of it: the value of
 * everything that must not differ between processes is among them. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint64_t seen;

static void *worker(void *unused)
{
    (void)unused;
    uint64_t random = 0;
    struct timespec now;
    char *heap = malloc(100);
    int local = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        random = 1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    atomic_store(&seen, (uint64_t)(uintptr_t)heap);
    atomic_store(&seen, (uint64_t)(uintptr_t)&local);
    atomic_store(&seen, (uint64_t)(uintptr_t)&seen);
    atomic_store(&seen, random);
    atomic_store(&seen, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
    atomic_store(&seen, (uint64_t)time(NULL));
    atomic_store(&seen, (uint64_t)getpid());
    atomic_store(&seen, (uint64_t)rand());
    atomic_store(&seen, (uint64_t)(getenv("SCRATCH_NOISE") != NULL));
    free(heap);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    assert(!"the end");
    return 0;
}
