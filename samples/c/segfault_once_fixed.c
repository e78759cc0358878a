/* The fixed form of segfault_once.c: what was checked is what is used. */
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
    struct session *session = atomic_load(&current);
    if (session != NULL)
        session->requests++;
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
