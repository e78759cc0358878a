/* A record is published before both of its fields are set: two races, which one order decides. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct record {
    int size;
    int total;
};

static _Atomic(struct record *) published;

static void *writer(void *unused)
{
    struct record *r = calloc(1, sizeof *r);
    atomic_store(&published, r);
    r->size = 1;
    r->total = 2;
    return unused;
}

static void *reader(void *unused)
{
    struct record *r = atomic_load(&published);
    if (r != NULL && r->size != 0 && r->total == 0)
        return NULL;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(atomic_load(&published));
    return 0;
}
