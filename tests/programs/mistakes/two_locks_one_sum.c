// Money is moved from one account to another under the lock of each, and somebody adds the two up in between.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int here = 30, there = 70;

static void *mover(void *arg) {
    pthread_mutex_lock(&first);
    here -= 5; // leaves
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second); // comes
    there += 5;
    pthread_mutex_unlock(&second);
    return arg;
}

static int at(pthread_mutex_t *lock, int *account) {
    pthread_mutex_lock(lock);
    int found = *account;
    pthread_mutex_unlock(lock);
    return found;
}

static void *auditor(void *arg) {
    int one = at(&first, &here);
    int other = at(&second, &there);
    assert(one + other == 100);
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, mover, NULL);
    pthread_create(&b, NULL, mover, NULL);
    pthread_create(&c, NULL, auditor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
