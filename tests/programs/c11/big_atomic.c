/* An atomic object that is larger than any processor's: a lock inside of libatomic. */
#include <stdatomic.h>

struct three {
    long a, b, c;
};
static _Atomic struct three shared;

int main(void)
{
    struct three now = atomic_load(&shared); /* asks libatomic */
    return (int)now.a;
}
