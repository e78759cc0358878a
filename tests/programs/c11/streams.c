/* Streams that are used without their locks (`putc_unlocked` and its like): one thread does, and another prints, or does the
   same. With -DGUARDED they hold the stream (flockfile), with -DLOCKED a lock of their own. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static char text[16] = "text";

static void enter(void)
{
#ifdef GUARDED
    flockfile(file);
#elif defined LOCKED
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef GUARDED
    funlockfile(file);
#elif defined LOCKED
    pthread_mutex_unlock(&lock);
#endif
}

static void *prints(void *unused)
{
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
    fprintf(file, "printed");
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

static void *puts_one(void *unused)
{
    enter();
    putc_unlocked('x', file);
    leave();
    return unused;
}

static void *writes(void *unused)
{
    enter();
    text[2] = 'W';
    leave();
    return unused;
}

#define BESIDE(name, other_thread, call)                                                           \
    static void in_##name(void)                                                                    \
    {                                                                                              \
        pthread_t t;                                                                               \
        pthread_create(&t, 0, other_thread, 0);                                                    \
        enter();                                                                                   \
        call;                                                                                      \
        leave();                                                                                   \
        pthread_join(t, 0);                                                                        \
    }

BESIDE(fputc, prints, fputc_unlocked('a', file))
void test_fputc(void) { file = stdout; in_fputc(); }
BESIDE(putc, puts_one, putc_unlocked('a', file))
void test_putc(void) { file = stderr; in_putc(); }
BESIDE(perror, puts_one, perror("here"))
void test_perror(void) { file = stderr; in_perror(); }
BESIDE(putchar, prints, putchar_unlocked('a'))
void test_putchar(void) { file = stdout; in_putchar(); }
BESIDE(fputs, prints, fputs_unlocked(text, file))
void test_fputs(void) { file = stdout; in_fputs(); }
BESIDE(fputs_from, writes, fputs_unlocked(text, file))
void test_fputs_from(void) { file = stdout; in_fputs_from(); }
BESIDE(fwrite, prints, fwrite_unlocked("abc", 1, 3, file))
void test_fwrite(void) { file = stdout; in_fwrite(); }
BESIDE(fwrite_from, writes, fwrite_unlocked(text, 1, 4, file))
void test_fwrite_from(void) { file = stdout; in_fwrite_from(); }
BESIDE(feof, puts_one, assert(!feof_unlocked(file)))
void test_feof(void) { file = stdout; in_feof(); }
BESIDE(ferror, puts_one, assert(!ferror_unlocked(file)))
void test_ferror(void) { file = stdout; in_ferror(); }
static void *asks(void *unused)
{
    enter();
    assert(!ferror_unlocked(file) && !feof_unlocked(file));
    leave();
    return unused;
}
BESIDE(none_asked, asks, assert(!ferror_unlocked(file) && !feof_unlocked(file)))
void test_none_asked(void) { file = stdout; in_none_asked(); }
BESIDE(clearerr, puts_one, clearerr_unlocked(file))
void test_clearerr(void) { file = stdout; in_clearerr(); }
BESIDE(fflush, puts_one, fflush_unlocked(file))
void test_fflush(void) { file = stdout; in_fflush(); }

static void *takes(void *unused)
{
    char byte[2];
    enter();
    fread_unlocked(byte, 1, 2, file);
    leave();
    return unused;
}

static void *takes_locked(void *unused)
{
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
    fgetc(file);
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

static void zeros(void)
{
    file = fopen("/dev/zero", "r");
    assert(file && getc(file) == 0);
}

BESIDE(fread, takes_locked, char c[4]; assert(fread_unlocked(c, 1, 4, file) == 4))
void test_fread(void) { zeros(); in_fread(); fclose(file); }
BESIDE(fread_to, writes, assert(fread_unlocked(text, 1, 4, file) == 4))
void test_fread_to(void) { zeros(); in_fread_to(); fclose(file); }
BESIDE(fgets, takes, char c[4]; assert(fgets_unlocked(c, 4, file) == c))
void test_fgets(void) { zeros(); in_fgets(); fclose(file); }
BESIDE(getc, takes, assert(getc_unlocked(file) == 0 && fgetc_unlocked(file) == 0))
void test_getc(void) { zeros(); in_getc(); fclose(file); }

/* Streams whose locks are taken race with nobody, nor do two streams. */
BESIDE(none_locked, prints, fprintf(stdout, "here"); putw(7, stdout))
void test_none_locked(void) { file = stdout; in_none_locked(); }
static void *puts_elsewhere(void *unused)
{
    putc_unlocked('x', stderr);
    return unused;
}
BESIDE(none_other, puts_elsewhere, putchar_unlocked('a'))
void test_none_other(void) { file = stdout; in_none_other(); }
