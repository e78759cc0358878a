/* Reads what a thread works out before it waits for its end: too early in every schedule that switches at synchronisation. */
#include <assert.h>
#include <pthread.h>

static int result;

static void *work(void *unused) {
    result = 42; // works
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int got = result; // reads
    pthread_join(thread, 0); // joins
    assert(got == 42);
}
