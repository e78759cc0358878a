/* Two threads count under a spin lock, and one of them also tries to.
 * IGNORED: it counts where the lock is taken, too. */
#include "../suite.h"
#include <assert.h>

static pthread_spinlock_t lock;
static int counter;

static void *count(void *unused)
{
    pthread_spin_lock(&lock);
    counter++;
    pthread_spin_unlock(&lock);
    return unused;
}

static void *try_to(void *unused)
{
    int held = pthread_spin_trylock(&lock) == 0;
#ifndef IGNORED
    if (held)
#endif
        counter++;
    if (held)
        pthread_spin_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    RUN(count, try_to);
    assert(counter == 1 || counter == 2);
    return 0;
}
