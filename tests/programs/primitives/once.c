/* Two threads run an initialiser once, which runs another one. QUITS: the first to run it ends in it, and the next runs it again.
 * WRONG: it runs itself once. */
#include <assert.h>
#include <pthread.h>

static pthread_once_t outer = PTHREAD_ONCE_INIT;
pthread_once_t inner = PTHREAD_ONCE_INIT;
static int runs, ready;

void initialise(void)
{
    ready = 1;
}

static void begin(void)
{
    runs++;
#if defined QUITS
    if (runs == 1)
        pthread_exit(NULL);
    initialise();
#elif defined WRONG
    pthread_once(&outer, begin);
#else
    pthread_once(&inner, initialise);
#endif
}

static void *work(void *unused)
{
    pthread_once(&outer, begin);
    assert(ready);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
#ifdef QUITS
    assert(runs == 2);
#else
    assert(runs == 1);
#endif
    return 0;
}
