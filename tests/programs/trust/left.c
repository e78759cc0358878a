/* main leaves by pthread_exit: the handler of atexit is called by the thread that is left. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void last(void) { assert(0); }
static void *f(void *x) { return x; }

int main(void)
{
    pthread_t t;
    atexit(last);
    pthread_create(&t, 0, f, 0);
    pthread_detach(t);
    pthread_exit(0);
}
