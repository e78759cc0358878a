/* The fixed form of spin.c: whoever sees the flag sees the message. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;
static atomic_int message;

static void *receive(void *unused)
{
    (void)unused;
    while (!atomic_load(&ready))
        ;
    assert(atomic_load(&message) == 42);
    return NULL;
}

int main(void)
{
    pthread_t receiver;
    pthread_create(&receiver, NULL, receive, NULL);
    atomic_store(&message, 42);
    atomic_store(&ready, 1);
    pthread_join(receiver, NULL);
    return 0;
}
