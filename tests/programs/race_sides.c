// One thread holds the lock where it counts, the other comes there through a helper and does not.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int count = 7;

static void __attribute__((noinline)) add(int n) {
  count += n; // adds
}

static void __attribute__((noinline)) helper(void) {
  pthread_mutex_lock(&log_lock);
  add(-9); // helped
  pthread_mutex_unlock(&log_lock);
}

static void *careful(void *arg) {
  pthread_mutex_lock(&lock);
  count = 3; // sets
  pthread_mutex_unlock(&lock);
  return arg;
}

static void *careless(void *arg) {
  helper(); // calls
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, careful, NULL);
  pthread_create(&b, NULL, careless, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
