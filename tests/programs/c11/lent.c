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
LOOKS(writes_first, memory[0] = '3')
LOOKS(asks, if (grown) unused = &size)
LOOKS(measures, if (size) unused = &size)
LOOKS(reads, if (grown[0] == 'a') unused = &size)
LOOKS(prints, fprintf(file, "printed"))
LOOKS(flushes, fputs("x", file); fflush(file))

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
BESIDE(fmemopen, writes, file = fmemopen(memory, sizeof memory, "r"); assert(file && getc(file) == '1' && fclose(file) == 0))
void test_fmemopen(void) { in_fmemopen(); }
BESIDE(fmemopen_reads, writes, int n; assert(fscanf(file, "%d", &n) == 1))
void test_fmemopen_reads(void) { file = fmemopen(memory, sizeof memory, "r"); in_fmemopen_reads(); fclose(file); }
BESIDE(fmemopen_writes, writes, fprintf(file, "56"); fflush(file))
void test_fmemopen_writes(void) { file = fmemopen(memory, sizeof memory, "w"); in_fmemopen_writes(); fclose(file); }
BESIDE(setvbuf_all, touches, fflush(0))
void test_setvbuf_all(void) { assert(setvbuf(stdout, buffer, _IOFBF, 64) == 0); putchar('x'); in_setvbuf_all(); }
BESIDE(flushed, asks, fputs("x", file); fflush(file))
void test_flushed(void) { file = open_memstream(&grown, &size); in_flushed(); fclose(file); free(grown); }
BESIDE(measured, measures, fputs("x", file); fclose(file))
void test_measured(void) { file = open_memstream(&grown, &size); in_measured(); free(grown); }
BESIDE(grown, reads, fputs("x", file))
void test_grown(void) { file = open_memstream(&grown, &size); fputs("a", file); fflush(file); in_grown(); fclose(file); free(grown); }

BESIDE(given_all, writes, fflush(0))
void test_given_all(void) { file = fmemopen(memory, sizeof memory, "w"); fputs("56", file); in_given_all(); fclose(file); }
BESIDE(given_closed, writes, assert(fclose(file) == 0))
void test_given_closed(void) { file = fmemopen(memory, sizeof memory, "w"); fputs("56", file); in_given_closed(); }
/* A buffer of the stream's own takes nothing away of what it is about. */
BESIDE(unbuffered, writes, fputc('5', file))
void test_unbuffered(void) { file = fmemopen(memory, sizeof memory, "w"); setvbuf(file, 0, _IONBF, 0); in_unbuffered(); fclose(file); }
BESIDE(emptied, writes_first, file = fmemopen(memory, sizeof memory, "w+"))
void test_emptied(void) { in_emptied(); fclose(file); }
BESIDE(added, writes, file = fmemopen(memory, sizeof memory, "a"))
void test_added(void) { in_added(); fclose(file); }

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
BESIDE(none_back_twice, touches, fputs("x", stdout))
void test_none_back_twice(void) { static char other[64]; setvbuf(stdout, buffer, _IOFBF, 64); setvbuf(stdout, other, _IOFBF, 64); in_none_back_twice(); }
BESIDE(none_flushed_all, asks, fflush(0))
void test_none_flushed_all(void) { file = open_memstream(&grown, &size); fputs("a", file); in_none_flushed_all(); fclose(file); free(grown); }
BESIDE(none_flushed_both, flushes, fputs("y", file); fflush(file))
void test_none_flushed_both(void) { file = open_memstream(&grown, &size); in_none_flushed_both(); fclose(file); free(grown); }
/* Neither does what only opens or closes a stream, or asks something of it. */
BESIDE(none_opened, writes, file = fmemopen(memory, sizeof memory, "r"); assert(file && fclose(file) == 0))
void test_none_opened(void) { in_none_opened(); }
BESIDE(none_opened_to_change, writes, file = fmemopen(memory, sizeof memory, "r+"); assert(file && fclose(file) == 0))
void test_none_opened_to_change(void) { in_none_opened_to_change(); }
BESIDE(none_opened_to_write, writes, file = fmemopen(memory, sizeof memory, "w"); assert(file && fclose(file) == 0))
void test_none_opened_to_write(void) { in_none_opened_to_write(); }
BESIDE(none_asked, writes, clearerr(file); assert(!ferror(file) && !feof(file) && ftell(file) == 1 && fflush(file) == 0))
void test_none_asked(void) { file = fmemopen(memory, sizeof memory, "r"); getc(file); in_none_asked(); assert(fclose(file) == 0); }
BESIDE(none_nothing_held_back, touches, assert(!fflush(stdout)))
void test_none_nothing_held_back(void) { setvbuf(stdout, buffer, _IOFBF, 64); in_none_nothing_held_back(); }

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
