// Streams that a thread closes, or gives another buffer, beside another's use of them; and what standard streams have met.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *stream;
static char *text, buffer[64];
static size_t length;
static int descriptor;
static long who, written;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void beside(void *(*other)(void *), void (*own)(void)) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    own();
    pthread_join(thread, 0);
}

static void *puts_one(void *_) {
    fputs("x", stream);
    return 0;
}

static void *sets_buffer(void *_) {
    setvbuf(stream, buffer, _IOFBF, sizeof buffer);
    return 0;
}

static void closes(void) {
    fclose(stream);
}

static void puts_another(void) {
    fputs("y", stream);
}

void test_file_closed(void) {
    stream = fopen("/dev/null", "w");
    beside(puts_one, closes);
}

void test_memory_closed(void) {
    stream = open_memstream(&text, &length);
    beside(puts_one, closes);
}

void test_buffer_given(void) {
    stream = fopen("/dev/null", "w");
    beside(sets_buffer, puts_another);
    fclose(stream);
}

static sem_t started;

static void *writes(void *_) {
    written = write(descriptor, "x", 1);
    return 0;
}

static void *joins_writer(void *_) {
    pthread_t thread;
    pthread_create(&thread, 0, writes, 0);
    sem_post(&started);
    pthread_join(thread, 0);
    return 0;
}

static void *closes_descriptor(void *_) {
    close(descriptor);
    return 0;
}

// Another thread than the one that closes has joined the one that writes.
void test_joined_by_another(void) {
    pthread_t joins, closer;
    descriptor = open("/dev/null", O_WRONLY);
    sem_init(&started, 0, 0);
    pthread_create(&joins, 0, joins_writer, 0);
    sem_wait(&started);
    pthread_create(&closer, 0, closes_descriptor, 0);
    pthread_join(closer, 0);
    pthread_join(joins, 0);
}

static void nothing(void) {
}

// Whoever closes has joined all others.
void test_none_joined(void) {
    stream = fopen("/dev/null", "w");
    beside(puts_one, nothing);
    fclose(stream);
}

static void *comes(void *number) {
    pthread_mutex_lock(&lock);
    if (!who) {
        who = (long)number;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

static void comes_first(void) {
    comes((void *)1);
}

static void *comes_second(void *_) {
    return comes((void *)2);
}

// In one order the end of standard input is met; the other order is an execution of its own.
void test_none_end_met(void) {
    beside(comes_second, comes_first);
    if (who == 2) {
        assert(!feof(stdin));
    }
    while (getchar() != EOF) {
    }
    ungetc('a', stdin);
}

// libc frees what it has not given: natively this is aborted.
void test_put_back(void) {
    ungetc('A', stderr);
    putc_unlocked('a', stderr);
}
