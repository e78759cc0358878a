/* Memory that a program lends to a stream (`setvbuf`, `fmemopen`, `open_memstream`): one thread prints to the stream, and one
   touches the memory. With -DGUARDED both hold a lock. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static char buffer[BUFSIZ], memory[16] = "12 34";
static char *grown;
static size_t size;

static void enter(void)
{
#ifdef GUARDED
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef GUARDED
    pthread_mutex_unlock(&lock);
#endif
}

#define LOOKS(name, what)                                                                          \
    static void *name(void *unused)                                                                \
    {                                                                                              \
        enter();                                                                                   \
        what;                                                                                      \
        leave();                                                                                   \
        return unused;                                                                             \
    }

LOOKS(touches, buffer[0] = 1)
LOOKS(writes, memory[1] = '3')
LOOKS(asks, if (grown) unused = &size)
LOOKS(measures, if (size) unused = &size)
LOOKS(reads, if (grown[0] == 'a') unused = &size)
LOOKS(prints, fprintf(file, "printed"))

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

BESIDE(setvbuf, touches, fputs("x", stdout))
void test_setvbuf(void) { assert(setvbuf(stdout, buffer, _IOFBF, 64) == 0); in_setvbuf(); }
BESIDE(setbuf, touches, printf("x"))
void test_setbuf(void) { setbuf(stdout, buffer); in_setbuf(); }
BESIDE(setbuffer, touches, putchar('x'))
void test_setbuffer(void) { setbuffer(stdout, buffer, 64); setlinebuf(stdout); in_setbuffer(); }
BESIDE(fmemopen, writes, file = fmemopen(memory, sizeof memory, "r"); assert(file && fclose(file) == 0))
void test_fmemopen(void) { in_fmemopen(); }
BESIDE(fmemopen_reads, writes, int n; assert(fscanf(file, "%d", &n) == 1))
void test_fmemopen_reads(void) { file = fmemopen(memory, sizeof memory, "r"); in_fmemopen_reads(); fclose(file); }
BESIDE(fmemopen_writes, writes, fprintf(file, "56"); fflush(file))
void test_fmemopen_writes(void) { file = fmemopen(memory, sizeof memory, "w"); in_fmemopen_writes(); fclose(file); }
BESIDE(setvbuf_all, touches, fflush(0))
void test_setvbuf_all(void) { assert(setvbuf(stdout, buffer, _IOFBF, 64) == 0); in_setvbuf_all(); }
BESIDE(flushed, asks, fputs("x", file); fflush(file))
void test_flushed(void) { file = open_memstream(&grown, &size); in_flushed(); fclose(file); free(grown); }
BESIDE(flushed_all, asks, fputs("x", file); fflush(0))
void test_flushed_all(void) { file = open_memstream(&grown, &size); in_flushed_all(); fclose(file); free(grown); }
BESIDE(measured, measures, fputs("x", file); fclose(file))
void test_measured(void) { file = open_memstream(&grown, &size); in_measured(); free(grown); }
BESIDE(grown, reads, fputs("x", file))
void test_grown(void) { file = open_memstream(&grown, &size); fputs("a", file); fflush(file); in_grown(); fclose(file); free(grown); }

/* What was not lent, or not yet written, or is given back races with nobody; and streams have locks. */
BESIDE(none_unbuffered, touches, fputs("x", stdout))
void test_none_unbuffered(void) { setvbuf(stdout, 0, _IONBF, 0); in_none_unbuffered(); }
BESIDE(none_back, touches, fputs("x", stdout))
void test_none_back(void) { setvbuf(stdout, buffer, _IOFBF, 64); setvbuf(stdout, 0, _IOFBF, 0); in_none_back(); }
BESIDE(none_ended, asks, fputs("x", file))
void test_none_ended(void) { file = open_memstream(&grown, &size); in_none_ended(); fclose(file); free(grown); }
BESIDE(none_printed, prints, fputs("x", file))
void test_none_printed(void) { file = stdout; setvbuf(stdout, buffer, _IOFBF, 64); in_none_printed(); }
BESIDE(none_shared, prints, fputs("x", file))
void test_none_shared(void) { file = fmemopen(memory, sizeof memory, "w"); in_none_shared(); fclose(file); }

/* They work as libc's own. */
void test_values(void)
{
    int n = 0, m = 0;
    file = fmemopen(memory, sizeof memory, "r");
    assert(fscanf(file, "%d %d", &n, &m) == 2 && n == 12 && m == 34);
    fclose(file);
    file = open_memstream(&grown, &size);
    fprintf(file, "%d", 567);
    fclose(file);
    assert(size == 3 && strcmp(grown, "567") == 0);
    free(grown);
}
