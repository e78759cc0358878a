/* Whole functions on a line, for columns. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int é; static int count;
static void *add(void *p) { int seen; pthread_mutex_lock(&lock); seen = count + é; pthread_mutex_unlock(&lock); pthread_mutex_lock(&lock); count = seen + 1; pthread_mutex_unlock(&lock); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); add(0); /* é */ pthread_join(t, 0); if (é == 0) assert(count == 2); return 0; }
