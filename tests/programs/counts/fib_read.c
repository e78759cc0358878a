/* fib (read) N, the literature's fib_bench: main does not join; after spawning it reads i, then j,
 * while the threads still run. N=2..5: 140, 1698, 19605, 218243 executions. */
#include "fib.h"

int main(void)
{
    start(first, 0);
    start(second, 0);
    int x = LOAD(i);
    int y = LOAD(j);
    (void)x, (void)y;
    return 0;
}
