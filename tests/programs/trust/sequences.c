/* Who heads a release sequence, and who stores behind it, one argument each. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static int data, got;
static atomic_int flag;

void publish(atomic_int *, int);

static void *reader(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 3)
        got = data;
    return unused;
}

static void pair(void *(*one)(void *), void *(*two)(void *))
{
    pthread_t a, b, c;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, reader, 0);
    if (two)
        pthread_create(&c, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (two)
        pthread_join(c, 0);
}

static void *by_exchange(void *unused)
{
    data = 1;
    atomic_exchange_explicit(&flag, 1, memory_order_release);
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 3, memory_order_relaxed);
    return unused;
}

static void *by_fence(void *unused)
{
    data = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *store_3(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
        atomic_store_explicit(&flag, 3, memory_order_relaxed);
    return unused;
}

static void *by_other_unit(void *unused)
{
    data = 1;
    publish(&flag, 1);
    atomic_store_explicit(&flag, 3, memory_order_relaxed);
    return unused;
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    if (!strcmp(which, "exchange"))
        pair(by_exchange, 0);
    if (!strcmp(which, "other-thread")) /* Its store ends the sequence, in every C. */
        pair(by_fence, store_3);
    if (!strcmp(which, "other-unit")) /* That of the first store decides. */
        pair(by_other_unit, 0);
    return 0;
}
