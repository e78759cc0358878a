/* Two threads push a node each, and main drops the list: both nodes are lost in every execution, and which of them leads to
 * the other depends on the schedule. With -DALONE each loses its own, by one function. */
#include <pthread.h>
#include <stdlib.h>

struct node { struct node *next; long value; };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *list;

static void push(struct node *node)
{
    pthread_mutex_lock(&m);
    node->next = list;
    list = node;
    pthread_mutex_unlock(&m);
}

#ifdef ALONE
static void *red(void *arg)
{
    char *volatile lost = malloc(7); /* alone */
    lost[0] = 0;
    push(arg);
    return NULL;
}
#define blue red
#else
static void *red(void *arg)
{
    (void)arg;
    push(malloc(sizeof(struct node))); /* red */
    return NULL;
}

static void *blue(void *arg)
{
    (void)arg;
    push(malloc(sizeof(struct node))); /* blue */
    return NULL;
}
#endif

int main(void)
{
    pthread_t a, b;
    static struct node one, other;
    pthread_create(&a, NULL, red, &one);
    pthread_create(&b, NULL, blue, &other);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    list = NULL;
    return 0;
}
