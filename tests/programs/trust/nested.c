/* N threads that create and join a thread each: nothing depends on the order. */
#include <pthread.h>
static void *leaf(void *unused) { return unused; }
static void *parent(void *unused) {
  pthread_t child;
  pthread_create(&child, 0, leaf, 0);
  pthread_join(child, 0);
  return unused;
}
int main(void) {
  pthread_t parents[N];
  for (int i = 0; i < N; i++) pthread_create(&parents[i], 0, parent, 0);
  for (int i = 0; i < N; i++) pthread_join(parents[i], 0);
  return 0;
}
