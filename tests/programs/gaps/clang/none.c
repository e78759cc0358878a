#include <stdatomic.h>
static atomic_int flag;
int main(void) { return atomic_exchange(&flag, 1); }
