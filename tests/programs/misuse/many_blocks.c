/* Right programs that allocate more than can be kept apart: eight times a gigabyte and, with -DSMALL, 20,000 small blocks. Each
 * is given back before the next. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifdef SMALL
enum { TIMES = 20000, SIZE = 100 };
#else
enum { TIMES = 8, SIZE = 1 << 30 };
#endif

static void *work(void *arg)
{
    for (int i = 0; i < TIMES; i++) {
        char *block = malloc(SIZE);
        assert(block);
        block[0] = 1;
        free(block);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
