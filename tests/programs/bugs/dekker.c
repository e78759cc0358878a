/* Two threads exclude each other by flags: each looks at the other's before it raises its own, so both may
 * come in. */
#include "../counts/counts.h"
#include <assert.h>

static atomic_int flag[2], inside;

static void *work(void *id)
{
    int me = (int)(intptr_t)id;
    if (LOAD(flag[1 - me]))
        return NULL;
    STORE(flag[me], 1);
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    STORE(flag[me], 0);
    return NULL;
}

int main(void)
{
    run_all(2, work);
    return 0;
}
