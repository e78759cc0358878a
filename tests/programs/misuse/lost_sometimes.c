/* Two threads look into a cache, and both fill it where both find it empty: what the first one put there is lost, with what
 * it leads to. With -DFIXED who comes second gives its own back; with -DALWAYS main loses a block in every execution. */
#include <pthread.h>
#include <stdlib.h>

struct entry { struct entry *next; char *text; };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct entry *cache;

static void *look_up(void *arg)
{
    pthread_mutex_lock(&m);
    int is_empty = cache == NULL;
    pthread_mutex_unlock(&m);
    if (!is_empty)
        return arg;
    struct entry *entry = malloc(sizeof *entry); /* allocated */
    entry->next = entry;
    entry->text = malloc(100);
    pthread_mutex_lock(&m);
#ifdef FIXED
    if (cache) {
        free(entry->text);
        free(entry);
        entry = cache;
    }
#endif
    cache = entry;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t a, b;
#ifdef ALWAYS
    char *volatile lost = malloc(7); /* always lost */
    lost[0] = 0;
#endif
    pthread_create(&a, NULL, look_up, NULL);
    pthread_create(&b, NULL, look_up, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
