#include <stdatomic.h>

void publish(atomic_int *at, int value)
{
    atomic_store_explicit(at, value, memory_order_release);
}
