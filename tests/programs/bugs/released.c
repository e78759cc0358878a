/* Two owners of a value, counted: who gives up the last share frees it. A third makes a share of its own out of one
 * that may be gone. */
#include "../counts/counts.h"
#include <assert.h>

static atomic_int shares = 2, freed;

static void give_up(void)
{
    if (atomic_fetch_sub(&shares, 1) == 1)
        STORE(freed, 1);
}

static void *work(void *id)
{
    if (id != NULL) {
        give_up();
        return NULL;
    }
    if (LOAD(shares) > 0) {
        atomic_fetch_add(&shares, 1);
        assert(!LOAD(freed));
        give_up();
    }
    return NULL;
}

int main(void)
{
    run_all(3, work);
    return 0;
}
