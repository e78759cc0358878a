// Whether there are seats is asked under the lock, and they are taken under it, but not in one go.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int seats = 2;

static int are_free(int n)
{
    pthread_mutex_lock(&m);
    int found = seats >= n;
    pthread_mutex_unlock(&m);
    return found;
}

static void reserve(int n)
{
    if (are_free(n)) {
        pthread_mutex_lock(&m);
        assert(seats >= n);
        seats -= n; // takes
        pthread_mutex_unlock(&m);
    }
}

static void *two(void *unused)
{
    reserve(2);
    return unused;
}

static void *one(void *unused)
{
    reserve(1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, two, 0);
    pthread_create(&b, 0, one, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
