// Destructors of thread-specific keys run where a thread ends, and not where the process does. With END of them: 0 main returns,
// 1 main exits, 2 a thread exits, 3 main leaves by pthread_exit, 4 a thread returns.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;

static void destroys(void *unused) {
    (void)unused;
    assert(!"destroyed");
}

static void *worker(void *unused) {
    if (END == 2 || END == 4)
        pthread_setspecific(key, &key);
    if (END == 2)
        exit(0);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_key_create(&key, destroys);
    if (END != 2 && END != 4)
        pthread_setspecific(key, &key);
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    if (END == 1)
        exit(0);
    if (END == 3)
        pthread_exit(0);
    return 0;
}
