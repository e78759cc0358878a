/* readers N: one writer, N threads of one load each: each reads before or after the write, 2^N
 * executions. */
#include "counts.h"

static atomic_int x;

static void *write_or_read(void *id)
{
    if (id == NULL) {
        STORE(x, 1);
    } else {
        int v = LOAD(x);
        (void)v;
    }
    return NULL;
}

int main(void)
{
    run_all(N + 1, write_or_read);
    return 0;
}
