/* Each thread has modes of arithmetic of its own, in SSE and in the x87, and begins with those of its maker. */
#include <assert.h>
#include <fenv.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile float zero;
static volatile long double long_zero;

static void others(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void *rounds_up(void *nothing)
{
    assert(fegetround() == FE_DOWNWARD);
    fesetround(FE_UPWARD);
    others();
    assert(fegetround() == FE_UPWARD && !fetestexcept(FE_DIVBYZERO));
    return nothing;
}

static void *divides(void *nothing)
{
    assert(fegetround() == FE_DOWNWARD);
    float in_sse = 1 / zero;
    long double in_x87 = 1 / long_zero;
    others();
    assert(in_sse > 1 && in_x87 > 1 && fetestexcept(FE_DIVBYZERO));
    return nothing;
}

int main(void)
{
    pthread_t threads[2];
    assert(fegetround() == FE_TONEAREST);
    fesetround(FE_DOWNWARD);
    pthread_create(&threads[0], NULL, rounds_up, NULL);
    pthread_create(&threads[1], NULL, divides, NULL);
    others();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(fegetround() == FE_DOWNWARD && !fetestexcept(FE_DIVBYZERO));
    return 0;
}
