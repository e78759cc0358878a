/* The fixed form of two_lock_deadlock.c: both threads take `left` before `right`, so no circle of
 * waiting threads can close. */
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void *add(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    moved++;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return NULL;
}

static void *subtract(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    moved--;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return NULL;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&other, NULL, subtract, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return moved;
}
