/* A queue's consumer gives the last message back and then looks at its kind; a lock orders all of it, so no two
 * accesses race. With -DFIXED it looks first. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct message {
    int number;
    int kind;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct message *waiting;
static int urgent;

static struct message *make(int number, int kind)
{
    struct message *m = malloc(sizeof *m); /* made */
    m->number = number;
    m->kind = kind;
    return m;
}

static void *consumer(void *arg)
{
    pthread_mutex_lock(&lock);
    struct message *m = waiting;
    waiting = NULL;
    if (m) {
#ifdef FIXED
        urgent += m->kind;
        free(m);
#else
        free(m);           /* freed */
        urgent += m->kind; /* used */
#endif
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, consumer, NULL);
    pthread_mutex_lock(&lock);
    waiting = make(1, 0);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    free(waiting);
    return 0;
}
