/* Tests that fail with some random numbers. Of each pair ..._even and ..._odd one fails whatever is drawn. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static unsigned from_system(void)
{
    unsigned n = 0;
    if (getrandom(&n, sizeof n, 0) != sizeof n)
        abort();
    return n;
}

static unsigned from_device(void)
{
    unsigned n = 0;
    int file = open("/dev/urandom", O_RDONLY);
    if (read(file, &n, sizeof n) != sizeof n)
        abort();
    close(file);
    return n;
}

static unsigned from_time(void)
{
    srand(time(NULL));
    return rand();
}

void test_system_even(void) { assert(from_system() % 2 == 0); }
void test_system_odd(void) { assert(from_system() % 2 == 1); }
void test_device_even(void) { assert(from_device() % 2 == 0); }
void test_device_odd(void) { assert(from_device() % 2 == 1); }
void test_arc4_even(void) { assert(arc4random() % 2 == 0); }
void test_arc4_odd(void) { assert(arc4random() % 2 == 1); }
void test_time_even(void) { assert(from_time() % 2 == 0); }
void test_time_odd(void) { assert(from_time() % 2 == 1); }

/* A program that seeds with a number of its own has the same row of numbers in each run. */
void test_own_seed(void)
{
    srand(7);
    int n = rand();
    srand(7);
    assert(rand() == n);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *adds(void *of)
{
    unsigned n = from_system();
    pthread_mutex_lock(&lock);
    shared += n % 2;
    pthread_mutex_unlock(&lock);
    return of;
}

/* Two threads that draw, and pass whatever they draw. */
void test_threads(void)
{
    pthread_t thread;
    shared = 0;
    pthread_create(&thread, NULL, adds, NULL);
    adds(NULL);
    pthread_join(thread, NULL);
    assert(shared <= 2);
}
