// Two loads in one assertion, each made once: all code of a macro has one line and column.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y;

static void *work(void *unused)
{
    x = 1;
    y = 1;
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    assert(x == y); // judges
    pthread_join(t, NULL);
    return 0;
}
