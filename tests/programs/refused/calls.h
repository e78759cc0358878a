/* A program whose second thread makes one call, at a line of its own; the file that includes this says which. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* A pipe that nobody writes to, two sockets that are connected, and a file. */
static int ends[2], pair[2];
static FILE *file;
/* Memory enough for the system's answers to lie where roll-back watches. */
static char much[200000];

static void call(void);

static int other(void *unused)
{
    (void)unused;
    return 0;
}

static int make_socket(void)
{
    return socket(AF_INET, SOCK_STREAM, 0);
}

static FILE *reader(void)
{
    return fdopen(ends[0], "r");
}

static void *worker(void *unused)
{
    (void)unused;
    call();
    return NULL;
}

static int begin(void)
{
    pthread_t thread;
    (void)other, (void)make_socket, (void)reader, (void)much;
    if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        abort();
    file = fopen("file", "w+");
    unlink("fifo");
    if (file == NULL || mkfifo("fifo", 0600) != 0)
        abort();
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
