/* Two threads create a thread each. The first says that it is open before it creates a guard. A child of the second that finds
   it closed is early, which the guard does not expect: its parent has to be created first, and it before the guard's. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int open, early;
static void *guard(void *unused) { assert(!early); return unused; }
static void *visitor(void *unused) { if (!open) early = 1; return unused; }
static void *doorman(void *unused) {
#ifndef FIXED
  open = 1;
#endif
  pthread_t child;
  pthread_create(&child, 0, guard, 0);
  pthread_join(child, 0);
  return unused;
}
static void *guide(void *unused) {
  pthread_t child;
  pthread_create(&child, 0, visitor, 0);
  pthread_join(child, 0);
  return unused;
}
int main(void) {
#ifdef FIXED
  open = 1;
#endif
  pthread_t parents[2];
  pthread_create(&parents[0], 0, doorman, 0);
  pthread_create(&parents[1], 0, guide, 0);
  for (int i = 0; i < 2; i++) pthread_join(parents[i], 0);
  return 0;
}
