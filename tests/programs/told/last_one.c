// Two meet twice: the second to come sets the number back and wakes the first. Where that one wakes up late, the next round has
// begun. Who comes second is whoever is later: turned around, the other one waits.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t room = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t both = PTHREAD_COND_INITIALIZER;
static int here;

static void meet(void)
{
    pthread_mutex_lock(&room);
    here++;
    if (here == 2) {
        here = 0;
        pthread_cond_broadcast(&both); // wakes
    } else {
        while (here != 0)
            pthread_cond_wait(&both, &room); // waits
    }
    pthread_mutex_unlock(&room);
}

static void *twice(void *unused)
{
    meet();
    meet();
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, twice, NULL);
    pthread_create(&b, NULL, twice, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
