/* Atomic objects that libatomic has functions for. One of three words is larger than any processor's: a lock inside of
   libatomic. One of two words (-DSIXTEEN) is an atomic like others; with -DTWICE it is written in two steps. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef SIXTEEN
struct words {
    long a, b;
};
#else
struct words {
    long a, b, c;
};
#endif
static _Atomic struct words shared;

static void *changes(void *unused)
{
    struct words now = {.a = 1, .b = 1};
#ifdef TWICE
    struct words half = {.a = 1};
    atomic_store(&shared, half);
#endif
    atomic_store(&shared, now);
    return unused;
}

int main(void)
{
    pthread_t t;
    struct words now, seen, next = {.a = 2, .b = 2};
    pthread_create(&t, 0, changes, 0);
    now = atomic_load(&shared); /* asks libatomic */
    assert(now.a == now.b);     /* both the same */
    pthread_join(t, 0);
    seen = now;
    if (!atomic_compare_exchange_strong(&shared, &seen, next)) {
        assert(now.a == 0 && seen.a == 1);
        now = atomic_exchange(&shared, next);
        assert(now.a == 1);
    }
    now = atomic_load(&shared);
    assert(now.a == 2 && now.b == 2);
    return 0;
}
