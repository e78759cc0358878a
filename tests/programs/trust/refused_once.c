#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
atomic_int a;
void *add(void *p) { a = 1; return 0; }
int main(void) {
  pthread_t t; pthread_create(&t, 0, add, 0);
  if (a) fork(); /* refused */
  pthread_join(t, 0);
  return 0;
}
