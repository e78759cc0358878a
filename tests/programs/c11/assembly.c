/* Inline assembly: some that touches memory, which no hook can tell of, and some that does not. */
#include <assert.h>
#include <pthread.h>
#ifdef ADDS
#include "add.h"
#endif

#ifdef LIBRARY
int nothing;
#else
static int count;
int one(int *n);

static void *counts(void *unused)
{
#ifdef HARMLESS
    int high = 8, low = 1;
    __asm__ volatile("" : : : "memory");
    __asm__ volatile("pause");
    __asm__ volatile("mfence" : : : "memory");
    __asm__ volatile("lock; addl $0,0(%%rsp)" : : : "memory", "cc");
    __asm__("bsrl %1, %0" : "=r"(low) : "r"(high) : "cc");
    assert(low == 3);
#endif
#ifdef ADDS
    add(&count);
#endif
#ifdef FROM_FILE
    one(&count);
#endif
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, counts, 0);
    counts(0);
    pthread_join(t, 0);
    return 0;
}
#endif
