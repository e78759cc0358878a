#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int sum;
void *add(void *p) { for (int i = 0; i < 10000; i++) sum = sum + 1; return 0; }
int main(void) {
  pthread_t t[8];
  for (int i = 0; i < 8; i++) pthread_create(&t[i], 0, add, 0);
  for (int i = 0; i < 8; i++) pthread_join(t[i], 0);
  assert(sum == 80000);
  return 0;
}
