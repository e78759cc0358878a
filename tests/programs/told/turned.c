// Another thread writes what `cur` points to, and then turns `cur` to something else: what `cur->n` is at the end is not what the
// assertion found there.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct s { int n; };
static struct s a, b, *cur = &a;

static void *turn(void *unused)
{
    a.n = 5;
    cur = &b;
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, turn, NULL);
    if (b.n)
        return 1;
    assert(cur->n == 0); // judges
    pthread_join(t, NULL);
    return 0;
}
