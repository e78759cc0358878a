/* ticket T×N: T threads, N times {me = fetch_add(next); assume(serving == me); c++;
 * serving = me+1}. As many complete executions as orders of tickets: 2×2 6, 3×1 6, 3×2 90. */
#include "counts.h"
#include "raddle.h"

static atomic_int next, serving;
static int c;

static void *count(void *unused)
{
    for (int n = 0; n < N; n++) {
        int me = atomic_fetch_add(&next, 1);
        raddle_assume(LOAD(serving) == me);
        c++;
        STORE(serving, me + 1);
    }
    return unused;
}

int main(void)
{
    run_all(T, count);
    return 0;
}
