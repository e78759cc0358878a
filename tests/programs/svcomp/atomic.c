/* Functions that are atomic by their name: a lock made of plain variables, and what it guards. */
extern void abort(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
#include <assert.h>
void reach_error() { assert(0); }

#include <pthread.h>

static int held, counter;

void __VERIFIER_atomic_acquire(void)
{
    if (held != 0) { abort(); }
    held = 1;
}

int __VERIFIER_atomic_release(void)
{
    held = 0;
    return counter;
}

int __VERIFIER_atomic_add(int n)
{
    if (n == 0)
        return counter;
    int before = counter;
    counter = before + n;
    return counter;
}

static void *adds(void *arg)
{
    __VERIFIER_atomic_add(1);
    return arg;
}

static void run(void *(*body)(void *))
{
    pthread_t one, other;
    pthread_create(&one, NULL, body, NULL);
    pthread_create(&other, NULL, body, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
}

void test_atomic_function(void)
{
    run(adds);
    if (counter != 2)
        reach_error();
}

static void *locks(void *arg)
{
    __VERIFIER_atomic_acquire();
    int before = __VERIFIER_atomic_add(0);
    __VERIFIER_atomic_add(before + 1 - __VERIFIER_atomic_add(0));
    __VERIFIER_atomic_release();
    return arg;
}

void test_lock(void)
{
    run(locks);
    if (counter != 2)
        reach_error();
}

static void *adds_in_two_blocks(void *arg)
{
    __VERIFIER_atomic_begin();
    int before = counter;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    counter = before + 1;
    __VERIFIER_atomic_end();
    return arg;
}

void test_two_blocks(void)
{
    run(adds_in_two_blocks);
    __VERIFIER_atomic_begin();
    int lost = counter != 2;
    __VERIFIER_atomic_end();
    if (lost)
        reach_error(); /* lost */
}
