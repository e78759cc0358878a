/* Two counters, each updated by reading and writing, and one check of both. With -DONE one counter only. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int red, blue;

static void *count(void *unused) {
    int old = atomic_load(&red);
    atomic_store(&red, old + 1);
#ifdef ONE
    atomic_fetch_add(&blue, 1);
#else
    int before = atomic_load(&blue);
    atomic_store(&blue, before + 1);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, count, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    int whole = atomic_load(&red) == 3 && atomic_load(&blue) == 3;
    assert(whole);
    return 0;
}
