/* Blocks that something leads to when main has returned, in each way there is: none of them is lost. With -DLOSE
 * one more is. */
#define _GNU_SOURCE
#include <pthread.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { char before[24]; struct node *next; };

static struct node *list, *middle;
static __thread char *own;
static pthread_key_t key;
static void *tree;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static uintptr_t tagged;

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Waits for ever; its stack and its thread-locals are still there then. */
static void *waits(void *arg)
{
    char *block = malloc(30), *volatile kept = block;
    own = malloc(31);
    pthread_mutex_lock(&m);
    for (;;)
        pthread_cond_wait(&never, &m);
    kept[0] = 1;
    return arg;
}

static void *returns_a_block(void *arg)
{
    (void)arg;
    return malloc(32);
}

static void *drops_its_value(void *arg)
{
    pthread_setspecific(key, malloc(33)); /* given back by the key's destructor */
    return arg;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        list = node;
    }
    /* Only an address inside of it is left. */
    struct node *inside = malloc(4 * sizeof *inside);
    middle = inside + 2;
    inside = NULL;
    tagged = (uintptr_t)malloc(16) | 1;
    own = malloc(50);
    pthread_key_create(&key, free);
    pthread_setspecific(key, NULL);
    tsearch(strdup("libc keeps it"), &tree, compare);
    char *variable = malloc(20);
    strcpy(variable, "RADDLE_TEST=1");
    putenv(variable);
    void *aligned = NULL;
    if (posix_memalign(&aligned, 256, 300) == 0)
        list->next->next->next = aligned;
    list = realloc(list, 4000);
#ifdef LOSE
    char *volatile lost = malloc(70); /* lost */
    lost[0] = 0;
    lost = NULL;
#endif
    pthread_t one, other, last;
    pthread_create(&one, NULL, returns_a_block, NULL);
    pthread_create(&other, NULL, drops_its_value, NULL);
    pthread_create(&last, NULL, waits, NULL);
    pthread_join(other, NULL);
    return 0;
}
