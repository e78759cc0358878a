/* Functions of libc that say something and end the process: handlers run, and the status is theirs. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <error.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *nothing(void *unused) { return unused; }
static void handler(void) { puts("handled"); }

static void begin(void)
{
    pthread_t t;
    atexit(handler);
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
}

void test_none_errx(void) { begin(); errx(0, "%d %s", 7, "words"); }
void test_none_err(void) { begin(); errno = EINVAL; err(0, "%d %s", 7, "words"); }
void test_err(void) { begin(); errno = EINVAL; err(3, "%d %s %g", 7, "words", 1.5); }
void test_errx(void) { begin(); errx(3, "%d %s", 7, "words"); }
void test_error(void) { begin(); error(3, EINVAL, "%d %s %g", 7, "words", 1.5); }
void test_error_at_line(void) { begin(); error_at_line(3, 0, "file", 9, "%d %s", 7, "words"); }
