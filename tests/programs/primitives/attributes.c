/* Attributes of threads, and their names. NAMED: one thread names another, which looks. DEEP: a thread uses the large stack that
 * it asked for. WRONG: it is taken for granted that the name is there. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

void *volatile sink;
pthread_mutex_t named = PTHREAD_MUTEX_INITIALIZER;

static int deep(int n)
{
    volatile char page[4096];
    page[n & 4095] = (char)n;
    sink = (void *)page;
    return n == 0 ? 0 : deep(n - 1) + page[n & 4095] - (char)n;
}

/* The own stack is where this is, and as large as was asked for. */
static void has(size_t size)
{
    pthread_attr_t attr;
    void *low;
    size_t found;
    assert(pthread_getattr_np(pthread_self(), &attr) == 0);
    assert(pthread_attr_getstack(&attr, &low, &found) == 0 && found >= size);
    assert((char *)low <= (char *)&attr && (char *)&attr < (char *)low + found);
    pthread_attr_destroy(&attr);
}

static void *work(void *unused)
{
    has(64 << 20);
    char name[16] = "";
#ifdef NAMED
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
#ifdef WRONG
    assert(strcmp(name, "worker") == 0);
#endif
    /* Who has ended has no name. */
    pthread_mutex_lock(&named);
    pthread_mutex_unlock(&named);
#else
    assert(pthread_setname_np(pthread_self(), "mine") == 0);
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "mine") == 0);
    assert(pthread_getname_np(pthread_self(), name, 3) == ERANGE);
    assert(pthread_setname_np(pthread_self(), "longer than any name") == ERANGE);
#ifdef DEEP
    assert(deep(5000) == 0);
#endif
#endif
    (void)deep;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attr;
    size_t size;
    int state;
    has(7 << 20);
    pthread_attr_init(&attr);
    assert(pthread_attr_setstacksize(&attr, 1) == EINVAL && pthread_attr_setdetachstate(&attr, 77) == EINVAL);
    assert(pthread_attr_setstacksize(&attr, 64 << 20) == 0);
    assert(pthread_attr_getstacksize(&attr, &size) == 0 && size == 64 << 20);
#ifdef NAMED
    pthread_mutex_lock(&named);
#endif
    assert(pthread_create(&thread, &attr, work, NULL) == 0);
#ifdef NAMED
    assert(pthread_setname_np(thread, "worker") == 0);
    pthread_mutex_unlock(&named);
#endif
    assert(pthread_equal(thread, thread) && !pthread_equal(thread, pthread_self()));
    pthread_join(thread, NULL);
    assert(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
    assert(pthread_attr_getdetachstate(&attr, &state) == 0 && state == PTHREAD_CREATE_DETACHED);
    pthread_attr_destroy(&attr);
    return 0;
}
