/* Waiting in a loop for a flag that is set too early.
 *
 * Wrong: the flag says that the message is there before it is. A preemption between the two stores
 * is enough. The loop itself costs nothing: a read that only repeats itself waits for a write.
 * Right: spin_fixed.c (the message first, then the flag). */
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
    atomic_store(&ready, 1);
    atomic_store(&message, 42);
    pthread_join(receiver, NULL);
    return 0;
}
