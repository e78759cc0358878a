/* A session is closed while somebody still has its address, and the next session gets the same block: what is read through
 * the old address is the new session's. Locks order everything, so it is no race, and the block is in use, so that
 * nobody could tell by looking at it. With -DFIXED the old address is given up. With -DSTRING it is read by libc. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct session { int number; char user[20]; };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct session *current, *last;
static volatile int seen;

static struct session *opened(int number)
{
    struct session *s = malloc(sizeof *s); /* made */
    s->number = number;
    strcpy(s->user, "nobody");
    return s;
}

static void *reopen(void *arg)
{
    pthread_mutex_lock(&m);
    last = current;
    free(current); /* freed */
#ifdef FIXED
    last = NULL;
#endif
    current = opened(2);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    current = opened(1);
    pthread_create(&t, NULL, reopen, NULL);
    pthread_mutex_lock(&m);
    if (last)
#ifdef STRING
        seen = (int)strlen(last->user); /* used by libc */
#else
        seen = last->number; /* used */
#endif
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    free(current);
    return 0;
}
