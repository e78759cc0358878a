#include "checks.h"
#include <pthread.h>
int taken;
static void *take(void *a)
{
    __VERIFIER_atomic_take();
    return a;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, take, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    if (taken != EXPECTED)
        reach_error();
    return 0;
}
