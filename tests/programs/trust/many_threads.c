#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int many;
void *nothing(void *p) { return 0; }
void *set(void *p) { many = 1; return 0; }
/* 70 threads where T1 comes first, and a failure where it does not. */
int main(void) {
  pthread_t t, more; pthread_create(&t, 0, set, 0);
  if (many) for (int i = 0; i < 70; i++) { pthread_create(&more, 0, nothing, 0); pthread_join(more, 0); }
  else assert(many);
  pthread_join(t, 0);
  return 0;
}
