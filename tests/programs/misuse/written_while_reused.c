/* What used_while_reused.c does, with nobody but the system that reads the block, or, with -DREAD, writes it. With -DFIXED
 * the old address is given up. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *current, *last;

static void *reopen(void *arg)
{
    pthread_mutex_lock(&m);
    last = current;
    free(current);
#ifdef FIXED
    last = NULL;
#endif
    current = malloc(16);
    current[0] = 'a';
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    int ends[2];
    assert(pipe(ends) == 0);
    assert(write(ends[1], "ab", 2) == 2);
    current = malloc(16);
    current[0] = 'b';
    pthread_create(&t, NULL, reopen, NULL);
    pthread_mutex_lock(&m);
    if (last) {
#ifdef READ
        ssize_t n = read(ends[0], last, 1); /* read */
#else
        ssize_t n = write(ends[1], last, 1); /* written */
#endif
        assert(n == 1);
    }
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    free(current);
    return 0;
}
