/* Two threads that take strings apart by strtok, each call under a lock: who came last tells where it goes on. With -DOTHER
   the other order fails; with -DOWN each keeps where it goes on itself, and nothing fails. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char mine[] = "a b", theirs[] = "x y";

static char *part(char *text, char **rest)
{
    pthread_mutex_lock(&lock);
#ifdef OWN
    char *found = strtok_r(text, " ", rest);
#else
    char *found = strtok(text, " ");
    (void)rest;
#endif
    pthread_mutex_unlock(&lock);
    return found;
}

static void *takes(void *unused)
{
    char *rest;
    part(theirs, &rest);
    return unused;
}

int main(void)
{
    pthread_t t;
    char *rest;
    /* Nothing is left of what came before. */
    pthread_create(&t, 0, takes, 0);
    part(mine, &rest);
#ifdef OTHER
    pthread_join(t, 0);
#endif
    char *next = part(0, &rest);
#ifdef OTHER
    assert(*next == 'y');
#else
    assert(*next == 'b');
    pthread_join(t, 0);
#endif
    return 0;
}
