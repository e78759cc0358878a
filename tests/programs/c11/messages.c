/* Functions that say something on standard error, or work on a stream, beside a thread that has its lock or uses it without
   (-DWITHOUT). */
#define _GNU_SOURCE
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fmtmsg.h>
#include <getopt.h>
#include <grp.h>
#include <malloc.h>
#include <mntent.h>
#include <pthread.h>
#include <pwd.h>
#include <shadow.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *held;

/* Has the stream's lock and waits for the other thread's; or uses the stream without its lock. */
static void *holds(void *unused)
{
#ifdef WITHOUT
    putc_unlocked('x', held);
#else
    flockfile(held);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    funlockfile(held);
#endif
    return unused;
}

static void says(const char *format, va_list list, int which)
{
    switch (which) {
    case 0: vwarn(format, list); break;
    case 1: vwarnx(format, list); break;
    case 2: verr(0, format, list); break;
    case 3: verrx(0, format, list); break;
    }
}

static void list(int which, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    says(format, list, which);
    va_end(list);
}

static char *words[] = {"program", "-x", 0};
static siginfo_t about = {.si_signo = SIGUSR1};

#define BESIDE(name, stream, call)                                                                 \
    static void in_##name(void)                                                                    \
    {                                                                                              \
        pthread_t t;                                                                               \
        held = stream;                                                                             \
        assert(held);                                                                              \
        pthread_create(&t, 0, holds, 0);                                                           \
        pthread_mutex_lock(&lock);                                                                 \
        call;                                                                                      \
        pthread_mutex_unlock(&lock);                                                               \
        pthread_join(t, 0);                                                                        \
    }

BESIDE(perror, stderr, perror("here"))
void test_perror(void) { in_perror(); }
BESIDE(warn, stderr, warn("here %d", 1))
void test_warn(void) { in_warn(); }
BESIDE(warnx, stderr, warnx("here %d", 1))
void test_warnx(void) { in_warnx(); }
BESIDE(vwarn, stderr, list(0, "here %d", 1))
void test_vwarn(void) { in_vwarn(); }
BESIDE(vwarnx, stderr, list(1, "here %d", 1))
void test_vwarnx(void) { in_vwarnx(); }
BESIDE(error, stderr, error(0, EINVAL, "here %d", 1))
void test_error(void) { in_error(); }
BESIDE(error_output, stdout, error(0, 0, "here"))
void test_error_output(void) { in_error_output(); }
BESIDE(error_at_line, stderr, error_at_line(0, 0, "file", 7, "here"))
void test_error_at_line(void) { in_error_at_line(); }
BESIDE(psignal, stderr, psignal(SIGUSR1, "here"))
void test_psignal(void) { in_psignal(); }
BESIDE(psiginfo, stderr, psiginfo(&about, "here"))
void test_psiginfo(void) { in_psiginfo(); }
BESIDE(fmtmsg, stderr, fmtmsg(MM_PRINT, "here:here", MM_ERROR, "text", "action", "tag"))
void test_fmtmsg(void) { in_fmtmsg(); }
BESIDE(malloc_stats, stderr, malloc_stats())
void test_malloc_stats(void) { in_malloc_stats(); }
BESIDE(malloc_info, stderr, malloc_info(0, stderr))
void test_malloc_info(void) { in_malloc_info(); }
BESIDE(getopt, stderr, assert(getopt(2, words, "y") == '?'))
void test_getopt(void) { in_getopt(); }
BESIDE(getopt_long, stderr, assert(getopt_long(2, words, "y", 0, 0) == '?'))
void test_getopt_long(void) { in_getopt_long(); }
BESIDE(flushed_lines, stdout, _flushlbf())
void test_flushed_lines(void) { in_flushed_lines(); }
BESIDE(putgrent, stdout, struct group one = {.gr_name = "a"}; putgrent(&one, stdout))
void test_putgrent(void) { in_putgrent(); }
BESIDE(putpwent, stdout, struct passwd one = {.pw_name = "a"}; putpwent(&one, stdout))
void test_putpwent(void) { in_putpwent(); }
BESIDE(putspent, stdout, struct spwd one = {.sp_namp = "a"}; putspent(&one, stdout))
void test_putspent(void) { in_putspent(); }
BESIDE(fgetpwent, fopen("/dev/null", "r"), assert(!fgetpwent(held)))
void test_fgetpwent(void) { in_fgetpwent(); }
BESIDE(fgetgrent, fopen("/dev/null", "r"), assert(!fgetgrent(held)))
void test_fgetgrent(void) { in_fgetgrent(); }
BESIDE(getmntent, fopen("/dev/null", "r"), assert(!getmntent(held)))
void test_getmntent(void) { in_getmntent(); }
BESIDE(fgetpos64, fopen("/dev/null", "r"), fpos64_t at; fgetpos64(held, &at))
void test_fgetpos64(void) { in_fgetpos64(); }

/* What leaves, while others run: in C they end with it. */
BESIDE(err, stderr, err(0, "here %d", 1))
void test_err(void) { in_err(); }
BESIDE(errx, stderr, errx(0, "here %d", 1))
void test_errx(void) { in_errx(); }
BESIDE(verr, stderr, list(2, "here %d", 1))
void test_verr(void) { in_verr(); }
BESIDE(verrx, stderr, list(3, "here %d", 1))
void test_verrx(void) { in_verrx(); }

/* No message, no lock. */
static void silent(void) { opterr = 0; assert(getopt(2, words, "y") == '?'); }
BESIDE(none_silent, stderr, silent())
void test_none_silent(void) { in_none_silent(); }
BESIDE(none_colon, stderr, assert(getopt(2, words, ":y") == '?'))
void test_none_colon(void) { in_none_colon(); }
BESIDE(none_found, stderr, assert(getopt(2, words, "x") == 'x'))
void test_none_found(void) { in_none_found(); }
