/* call_once and keys of threads with destructors. With -DTWICE each thread has a flag of its own. */
#include <assert.h>
#include <stdlib.h>
#include <threads.h>

static once_flag once[2] = {ONCE_FLAG_INIT, ONCE_FLAG_INIT};
static tss_t key;
static int made;
static _Atomic int given_back;

static void make(void)
{
    made++; /* makes */
}

static void give_back(void *block)
{
    free(block);
    given_back++;
}

static int use(void *number)
{
    int *own = malloc(sizeof *own);
#ifdef TWICE
    call_once(&once[*(int *)number], make);
#else
    call_once(&once[0], make);
#endif
    assert(made == 1);
    assert(tss_get(key) == 0);
    assert(tss_set(key, own) == thrd_success);
    assert(tss_get(key) == own);
    (void)number;
    return 0;
}

int main(void)
{
    thrd_t t[2];
    int number[2] = {0, 1};
    assert(tss_create(&key, give_back) == thrd_success);
    for (int i = 0; i < 2; i++)
        thrd_create(&t[i], use, &number[i]);
    for (int i = 0; i < 2; i++)
        thrd_join(t[i], 0);
    assert(given_back == 2);
    tss_delete(key);
    return 0;
}
