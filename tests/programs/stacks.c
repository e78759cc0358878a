/* Call stacks in every situation in which a function is entered or left: early returns, recursion,
 * longjmp out of several functions at once, pthread_exit, callbacks of libc. */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add(int n)
{
    pthread_mutex_lock(&lock);
    total += n;
    pthread_mutex_unlock(&lock);
}

static int early(int n)
{
    if (n < 0) {
        add(0);
        return 0;
    }
    for (int i = 0; i < n; i++)
        if (i == 1)
            return i;
    add(n);
    return n;
}

static int descend(int depth) { return depth == 0 ? (add(1), 0) : descend(depth - 1) + early(depth); }

static void jumps(jmp_buf *back, int depth)
{
    add(1);
    if (depth == 0)
        longjmp(*back, 1);
    jumps(back, depth - 1);
    add(100);
}

static void survives(void)
{
    jmp_buf back;
    if (setjmp(back) == 0)
        jumps(&back, 2);
    add(1);
}

static int compare(const void *a, const void *b)
{
    add(0);
    return *(const int *)a - *(const int *)b;
}

static void leaves(void)
{
    add(1);
    pthread_exit(NULL);
}

static void *worker(void *which)
{
    descend(2);
    survives();
    if (which)
        leaves();
    add(1);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int which = 1, numbers[3] = {3, 1, 2};
    pthread_create(&threads[0], NULL, worker, NULL);
    pthread_create(&threads[1], NULL, worker, &which);
    early(-1);
    qsort(numbers, 3, sizeof numbers[0], compare);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    /* Each worker: 1 at the bottom, 1 in early(1), none in early(2); 3 before the jump, 1 after; 1. */
    add(0);
    assert(total == 14);
    return 0;
}
