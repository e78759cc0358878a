/* Calls something that could block and is not modelled, or would escape control. CALL says what. */
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static void *worker(void *unused)
{
#if CALL == 0
    (void)unused;
    pthread_cancel(pthread_self());
#elif CALL == 1
    int ends[2];
    (void)unused;
    if (pipe(ends) == 0) {
        struct pollfd wait = {.fd = ends[0], .events = POLLIN};
        poll(&wait, 1, -1);
    }
#elif CALL == 2
    (void)unused;
    if (fork() == 0)
        _exit(0);
#endif
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
