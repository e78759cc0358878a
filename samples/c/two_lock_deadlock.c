/* Two locks taken in opposite orders.
 *
 * Wrong: one thread holds `left` and waits for `right`, the other holds `right` and waits for
 * `left`. A preemption between one thread's two locks is enough.
 * Right: two_lock_deadlock_fixed.c (one order for all). */
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void *left_first(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    moved++;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return NULL;
}

static void *right_first(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left);
    moved--;
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return NULL;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, left_first, NULL);
    pthread_create(&other, NULL, right_first, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return moved;
}
