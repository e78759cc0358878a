// Who does not get the lock at once goes without; what it came for is not done.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int through;

static void *visitor(void *unused)
{
    if (pthread_mutex_trylock(&gate) != 0) // tries
        return unused;
    through++;
    pthread_mutex_unlock(&gate); // leaves
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, visitor, NULL);
    pthread_create(&b, NULL, visitor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(through == 2);
    return 0;
}
