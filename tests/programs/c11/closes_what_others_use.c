/* Who closes a file's descriptor beside another thread's use of it: what comes of that hangs on who was first. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int fd;
static char buffer[16];

static void *closes(void *unused) { close(fd); return unused; }
static void *replaces(void *unused) { dup2(0, fd); return unused; }
static void *closes_all(void *unused) { close_range(fd, fd, 0); return unused; }

static void *writes(void *unused) { write(fd, "x", 1); return unused; }
static void *reads(void *unused) { pread(fd, buffer, 4, 0); return unused; }
static void *seeks(void *unused) { lseek(fd, 0, SEEK_SET); return unused; }
static void *asks(void *unused) { struct stat about; fstat(fd, &about); return unused; }
static void *asks_how(void *unused) { fcntl(fd, F_GETFD); return unused; }
static void *doubles(void *unused) { dup(fd); return unused; }
static void *syncs(void *unused) { fsync(fd); return unused; }
static void *maps(void *unused) { mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0); return unused; }

static void together(void *(*one)(void *), void *(*other)(void *))
{
    pthread_t threads[2];
    fd = open("file", O_CREAT | O_TRUNC | O_RDWR, 0600);
    unlink("file");
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

void test_write(void) { together(closes, writes); }
void test_write_first(void) { together(writes, closes); }
void test_read(void) { together(closes, reads); }
void test_seek(void) { together(seeks, closes); }
void test_stat(void) { together(closes, asks); }
void test_fcntl(void) { together(asks_how, closes); }
void test_dup(void) { together(closes, doubles); }
void test_sync(void) { together(closes, syncs); }
void test_map(void) { together(maps, closes); }
void test_dup2(void) { together(replaces, writes); }
void test_range(void) { together(writes, closes_all); }
void test_twice(void) { together(closes, closes); }

/* The second `close` is of a number that the other thread may have by then. */
static void *closes_twice(void *unused)
{
    int own = open("/dev/null", O_WRONLY);
    close(own);
    close(own);
    return unused;
}
static void *opens(void *unused)
{
    int own = open("/dev/null", O_WRONLY);
    write(own, "x", 1);
    close(own);
    return unused;
}
void test_number_given_again(void) { together(closes_twice, opens); }
void test_number_given_again_later(void) { together(opens, closes_twice); }

/* Each its own. */
void test_none_own(void) { together(opens, opens); }
static void *streams(void *unused)
{
    FILE *own = fopen("/dev/null", "w");
    fprintf(own, "x");
    fclose(own);
    return unused;
}
void test_none_streams(void) { together(streams, opens); }
void test_none_streams_later(void) { together(opens, streams); }
/* Both look at it, and it is closed when they are gone. */
void test_none_closed_behind(void)
{
    together(reads, asks);
    close(fd);
}
/* One of two is gone. */
void test_none_joined(void)
{
    pthread_t threads[2];
    fd = open("/dev/zero", O_RDONLY);
    pthread_create(&threads[0], NULL, reads, NULL);
    pthread_create(&threads[1], NULL, opens, NULL);
    pthread_join(threads[0], NULL);
    close(fd);
    pthread_join(threads[1], NULL);
}
