/* A list that grows under its lock, and a reader that keeps the address of an element beyond it. With FIXED it reads
 * before it lets the lock go. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef FIRST
#define FIRST 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *list;

static void *grows(void *nothing)
{
    pthread_mutex_lock(&lock);
    list = realloc(list, (FIRST + 1) * sizeof *list);
    list[FIRST] = 7;
    pthread_mutex_unlock(&lock);
    return nothing;
}

int main(void)
{
    pthread_t thread;
    list = malloc(FIRST * sizeof *list);
    list[0] = 1;
    pthread_create(&thread, NULL, grows, NULL);
    pthread_mutex_lock(&lock);
    int *element = &list[0];
#ifdef FIXED
    int first = *element;
    pthread_mutex_unlock(&lock);
#else
    pthread_mutex_unlock(&lock);
    int first = *element;
#endif
    pthread_join(thread, NULL);
    assert(first == 1);
    free(list);
    return 0;
}
