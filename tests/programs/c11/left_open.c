/* Streams that an execution leaves open, which two threads use under a lock: the next execution is like it all the same. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other_lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file, *other;
static char memory[16], buffer[64];
static char *grown, *other_grown;
static size_t size, other_size;

static void *prints(void *unused)
{
    pthread_mutex_lock(&lock);
    fputs("a", file);
    if (other)
        fputs("b", other);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void both(void)
{
    pthread_t t;
    assert(file);
    /* A program that holds streams has steps on their locks. */
    flockfile(file);
    funlockfile(file);
    pthread_create(&t, 0, prints, 0);
    prints(0);
    prints(0);
    pthread_join(t, 0);
}

void test_files(void) { file = fopen("/dev/null", "w"); other = fopen("/dev/null", "w"); both(); }
void test_nameless(void) { file = tmpfile(); other = tmpfile64(); both(); }
void test_descriptors(void)
{
    int ends[2];
    assert(pipe(ends) == 0);
    file = fdopen(ends[1], "w");
    other = fdopen(dup(ends[1]), "w");
    both();
}
void test_memory(void)
{
    file = fmemopen(memory, sizeof memory, "w");
    other = fmemopen(memory, sizeof memory, "w");
    setvbuf(other, buffer, _IOFBF, sizeof buffer);
    both();
}
void test_growing(void) { file = open_memstream(&grown, &size); other = open_memstream(&other_grown, &other_size); both(); }
void test_grown(void)
{
    file = open_memstream(&grown, &size);
    other = open_memstream(&other_grown, &other_size);
    both();
    fflush(file);
    assert(size == 3 && grown[0] == 'a' && grown[3] == 0);
}
/* Its variables are on a stack that is gone. */
static void *opens(void *unused)
{
    char *text = 0;
    size_t length;
    file = open_memstream(&text, &length);
    return unused;
}
void test_gone(void)
{
    pthread_t t;
    pthread_create(&t, 0, opens, 0);
    pthread_join(t, 0);
    both();
}
/* A file has what was printed to it, by a buffer of the program's too. */
void test_written(void)
{
    file = fopen("out", "w");
    assert(makedev(1, 3) != 0);
    setvbuf(file, buffer, _IOFBF, sizeof buffer);
    both();
}

/* Two threads have each other's lock: the streams are not closed any more. */
static void *locks(void *unused)
{
    pthread_mutex_lock(&other_lock);
    fputs("a", file);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&other_lock);
    return unused;
}
void test_deadlock(void)
{
    pthread_t t;
    file = open_memstream(&grown, &size);
    pthread_create(&t, 0, locks, 0);
    pthread_mutex_lock(&lock);
    fputs("b", file);
    pthread_mutex_lock(&other_lock);
    pthread_mutex_unlock(&other_lock);
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    fclose(file);
    free(grown);
}
