#include <stdatomic.h>
static atomic_int flag;
int main(void) {
    int old = 0;
    return !atomic_compare_exchange_weak(&flag, &old, 1);
}
