#include <pthread.h>
#include <stdatomic.h>
atomic_int n;
void *count(void *p) { for (;;) n++; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, count, 0); pthread_join(t, 0); return 0; }
