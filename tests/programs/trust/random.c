/* What has one value in all executions, one test each. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

void test_getrandom(void)
{
    int n;
    if (getrandom(&n, sizeof n, 0) != sizeof n)
        abort();
}

void test_urandom(void)
{
    int n, file = open("/dev/urandom", O_RDONLY);
    if (read(file, &n, sizeof n) != sizeof n)
        abort();
    close(file);
}

void test_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
}

void test_both(void)
{
    test_clock();
    test_getrandom();
}

/* libc gives the same row of numbers to every run of a program that seeds nothing. */
void test_rand(void)
{
    if (rand() < 0)
        abort();
}
