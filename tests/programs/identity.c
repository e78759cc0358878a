/* Rule 1: what a thread is called and where its memory lies follow from its own past. Two threads
 * each start another; which of these comes first is the schedule's. Without arguments it says
 * where their blocks and stacks lie and fails; with what it said it checks that they lie there. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *block[2], *stack[2];

static void *inner(void *which)
{
    int local = 0;
    long n = (long)which;
    stack[n] = &local;
    block[n] = malloc(40);
    return NULL;
}

static void *outer(void *which)
{
    pthread_t thread;
    free(malloc(24));
    pthread_create(&thread, NULL, inner, which);
    pthread_join(thread, NULL);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    for (long n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, outer, (void *)n);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    if (argc < 5) {
        printf("places %p %p %p %p\n", block[0], block[1], stack[0], stack[1]);
        return 1;
    }
    assert(strtoul(argv[1], NULL, 16) == (unsigned long)block[0]);
    assert(strtoul(argv[2], NULL, 16) == (unsigned long)block[1]);
    assert(strtoul(argv[3], NULL, 16) == (unsigned long)stack[0]);
    assert(strtoul(argv[4], NULL, 16) == (unsigned long)stack[1]);
    return 0;
}
