/* right: latches on the stacks of calls, given to a worker by a queue, again and again in the same place */
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
struct job { int in, out; atomic_int done; };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static struct job *q; static int stop;
static void *worker(void *a) {
    for (;;) {
        pthread_mutex_lock(&m);
        while (!q && !stop) pthread_cond_wait(&c, &m);
        struct job *j = q; q = 0;
        pthread_mutex_unlock(&m);
        if (!j) return a;
        j->out = j->in + 1;
        atomic_store_explicit(&j->done, 1, memory_order_release);
    }
}
static int call(int x) {
    struct job j = { x, 0, 0 };
    pthread_mutex_lock(&m); q = &j; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
    while (!atomic_load_explicit(&j.done, memory_order_acquire)) ;
    return j.out;
}
int main(void) {
    pthread_t t; pthread_create(&t, 0, worker, 0);
    int r = call(1); r += call(2);
    pthread_mutex_lock(&m); stop = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    assert(r == 5);
}
