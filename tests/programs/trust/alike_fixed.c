/* N threads that do the same beside one that does something else, and nothing to be found. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b;
static void *set(void *p) { pthread_mutex_lock(&m); a = 1; b = -1; pthread_mutex_unlock(&m); return 0; }
static void *check(void *p) { pthread_mutex_lock(&m); assert(a == -b); pthread_mutex_unlock(&m); return 0; }
int main(void) {
    pthread_t t[N + 1];
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, set, 0);
    pthread_create(&t[N], 0, check, 0);
    for (int i = 0; i <= N; i++) pthread_join(t[i], 0);
    return 0;
}
