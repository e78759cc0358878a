/* One takes what is there, and clears it later: a look and a change that should be one step. That one reads before
 * the other clears is right: it must not wait for that. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int there = 1, taken;

static void *take(void *unused)
{
    (void)unused;
    if (atomic_load(&there)) {
        assert(atomic_fetch_add(&taken, 1) == 0);
        atomic_store(&there, 0);
    }
    return 0;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, take, 0);
    pthread_create(&t[1], 0, take, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
