/* A thread ends in the middle of functions whose handlers give back what it holds. (With -fexceptions a handler is a variable that
 * is cleaned up; without, it stands with a buffer.) WRONG: the innermost one is not pushed any more. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order[2], ran;

static void handler(void *number)
{
    order[ran++] = *(int *)number;
}

static void give_back(void *held)
{
    order[ran++] = 1;
    pthread_mutex_unlock(held);
}

static void inner(void *result)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(give_back, &lock);
#ifndef WRONG
    pthread_exit(result);
#endif
    pthread_cleanup_pop(0);
    pthread_exit(result);
}

static void *work(void *result)
{
    static int two = 2, none = 9;
    pthread_cleanup_push(handler, &two);
    pthread_cleanup_push(handler, &none);
    pthread_cleanup_pop(0);
    inner(result);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, work, &ran);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, &result);
    pthread_mutex_lock(&lock);
    assert(result == &ran && ran == 2 && order[0] == 1 && order[1] == 2);
    return 0;
}
