/* Two threads that load and store one atomic: gcc keeps both values in variables of the frame. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int c;

static void *add(void *unused)
{
    int v = atomic_load(&c);
    atomic_store(&c, v + 1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
