#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
atomic_int a;
void *add(void *p) { a++; return 0; }
int main(void) {
  pthread_t t; pthread_create(&t, 0, add, 0);
  a++;
  pthread_join(t, 0);
  return fork();
}
