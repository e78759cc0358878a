/* Bit-fields of one struct, in a variable and on the heap, written under different locks. Neighbours are one memory location. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum phase { IDLE, OPEN, CLOSED };

struct state {
    int users;
    unsigned ready : 1;
    signed retries : 4;
    bool dirty : 1;
    unsigned : 0;
    enum phase phase : 2;
};

static struct state shared[2];
static struct state *kept;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *makes_ready(void *unused)
{
    pthread_mutex_lock(&a);
    shared[1].retries = -3; /* of a variable */
    pthread_mutex_unlock(&a);
    return unused;
}

static void *makes_dirty(void *unused)
{
    pthread_mutex_lock(&b);
    shared[1].dirty = true;
    pthread_mutex_unlock(&b);
    return unused;
}

static void *opens(void *unused)
{
    kept->phase = CLOSED; /* of a phase */
    kept->retries = 2;    /* on the heap */
    return unused;
}

static void *counts(void *unused)
{
    pthread_mutex_lock(&a);
    kept->dirty = true;
    kept->phase = OPEN;
    pthread_mutex_unlock(&a);
    return unused;
}

static void both(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

void test_of_a_variable(void)
{
    both(makes_ready, makes_dirty);
}

void test_on_the_heap(void)
{
    kept = calloc(1, sizeof *kept);
    both(opens, counts);
    free(kept);
}
