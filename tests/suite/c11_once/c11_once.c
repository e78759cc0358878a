/* Two C11 threads need a table that is filled once; each has a block of its own, which its destructor frees.
 * AGAIN: each fills the table by itself. */
#include <assert.h>
#include <stdlib.h>
#include <threads.h>

static int table, filled;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;

static void fill(void)
{
    table = 42;
    filled++;
}

static int need(void *unused)
{
    (void)unused;
#ifdef AGAIN
    fill();
#else
    call_once(&once, fill);
#endif
    assert(table == 42);
    int *mine = malloc(sizeof *mine);
    *mine = 1;
    tss_set(key, mine);
    assert(tss_get(key) == mine);
    return 0;
}

int main(void)
{
    thrd_t first, second;
    tss_create(&key, free);
    thrd_create(&first, need, NULL);
    thrd_create(&second, need, NULL);
    thrd_join(first, NULL);
    thrd_join(second, NULL);
    assert(filled >= 1 && filled <= 2);
    return 0;
}
