/* Two C11 threads count under a C11 mutex.
 * NO_LOCK: one of them without it. TWICE: the mutex is plain, and a thread that has it takes it again. */
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static int counter;

static int count(void *unused)
{
    (void)unused;
    mtx_lock(&lock);
#ifdef TWICE
    mtx_lock(&lock);
#endif
    counter++;
    mtx_unlock(&lock);
    return 0;
}

static int count_too(void *unused)
{
#ifdef NO_LOCK
    (void)unused;
    counter++;
    return 0;
#else
    return count(unused);
#endif
}

int main(void)
{
    thrd_t first, second;
    assert(mtx_init(&lock, mtx_plain) == thrd_success);
    thrd_create(&first, count, NULL);
    thrd_create(&second, count_too, NULL);
    thrd_join(first, NULL);
    thrd_join(second, NULL);
    assert(counter == 2);
    return 0;
}
