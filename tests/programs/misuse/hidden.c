/* Blocks that something leads to in ways that are easily missed, one for each value of WAY: none of them is lost. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

struct __attribute__((packed)) message { char kind; void *body; };

struct message messages[4] __attribute__((aligned(16)));
void **pool;
char *end;

__attribute__((constructor)) static void before(void)
{
#if WAY == 2
    pool = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pool, 4096, PROT_NONE);
    pool += 512;
#endif
}

static void *fill(void *arg)
{
#if WAY == 1
    /* At odd addresses, in the data and in a block. */
    struct message *inner = malloc(sizeof *inner);
    inner->body = malloc(30);
    messages[1].body = inner;
    inner = NULL;
#elif WAY == 2
    /* In memory from before. */
    pool[0] = malloc(20);
#elif WAY == 3
    /* From behind. */
    end = (char *)malloc(64) + 64;
#elif WAY == 4
    /* The system has it. */
    int epoll = epoll_create1(0), ends[2];
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = malloc(42) };
    if (pipe2(ends, 0) == 0)
        epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
    event.data.ptr = NULL;
#elif WAY == 5
    stack_t stack = { .ss_sp = malloc(SIGSTKSZ), .ss_size = SIGSTKSZ };
    sigaltstack(&stack, NULL);
    stack.ss_sp = NULL;
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, fill, NULL);
    pthread_join(t, NULL);
    return 0;
}
