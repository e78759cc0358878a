/* fib (join) N: main reads nothing. N=1..6: 3, 19, 141, 1107, 8953, 73789 executions. */
#include "fib.h"

int main(void)
{
    pthread_t a = start(first, 0), b = start(second, 0);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
