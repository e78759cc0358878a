/* A segmentation fault in one interleaving only.
 *
 * Wrong: `current` is checked in one load and used through a second one. If the other thread
 * closes it between the two, a null pointer is dereferenced; in the other two orders all is well.
 * Right: segfault_once_fixed.c (one load for both). */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct session {
    int requests;
};

static struct session only = {7};
static _Atomic(struct session *) current = &only;

static void *closer(void *unused)
{
    (void)unused;
    atomic_store(&current, NULL);
    return NULL;
}

static void *user(void *unused)
{
    (void)unused;
    if (atomic_load(&current) != NULL) {
        struct session *session = atomic_load(&current);
        session->requests++;
    }
    return NULL;
}

int main(void)
{
    pthread_t closing, using;
    pthread_create(&closing, NULL, closer, NULL);
    pthread_create(&using, NULL, user, NULL);
    pthread_join(closing, NULL);
    pthread_join(using, NULL);
    return 0;
}
