/* Everything that raddle.h offers, in its place. */
#include <pthread.h>
#include <raddle.h>

static int counter, published;

static void *increments(void *unused)
{
    (void)unused;
    raddle_atomic_begin();
    int seen = counter;
    raddle_point();
    counter = seen + 1;
    raddle_atomic_end();
    return NULL;
}

static void *publishes(void *unused)
{
    (void)unused;
    __atomic_store_n(&published, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void run(void *(*body)(void *))
{
    pthread_t one, other;
    pthread_create(&one, NULL, body, NULL);
    pthread_create(&other, NULL, body, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
}

/* Nobody else runs in a block, so plain accesses in two of them are no race. */
void test_plain_accesses_in_blocks(void)
{
    run(increments);
    raddle_assert(counter == 2, "an update was lost inside an atomic block");
}

static void *increments_outside_too(void *unused)
{
    increments(unused);
    int seen = counter;
    raddle_atomic_begin();
    counter = seen;
    raddle_atomic_end();
    return unused;
}

/* What stands outside of a block has none. */
void test_outside_of_blocks(void)
{
    run(increments_outside_too);
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *waits_in_its_block(void *unused)
{
    raddle_atomic_begin();
    counter++;
    pthread_mutex_lock(&m);
    counter++;
    pthread_mutex_unlock(&m);
    raddle_atomic_end();
    return unused;
}

static void *counts_in_its_block(void *unused)
{
    pthread_mutex_lock(&m);
    raddle_atomic_begin();
    counter++;
    raddle_atomic_end();
    pthread_mutex_unlock(&m);
    return unused;
}

/* Who waits in a block lets others run. */
void test_a_block_that_waits(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, waits_in_its_block, NULL);
    pthread_create(&other, NULL, counts_in_its_block, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
}

static void *increments_atomically(void *unused)
{
    (void)unused;
    raddle_atomic_begin();
    int seen = __atomic_load_n(&counter, __ATOMIC_SEQ_CST);
    raddle_point();
    __atomic_store_n(&counter, seen + 1, __ATOMIC_SEQ_CST);
    raddle_atomic_end();
    return NULL;
}

/* No other thread runs inside a block, though each has three points. */
void test_blocks_are_atomic(void)
{
    run(increments_atomically);
    raddle_assert(counter == 2, "an update was lost inside an atomic block");
}

/* Only executions in which the assumption holds are judged. */
void test_assume(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, publishes, NULL);
    int seen = __atomic_load_n(&published, __ATOMIC_SEQ_CST);
    raddle_assume(seen == 1);
    pthread_join(thread, NULL);
    raddle_assert(seen == 1, "judged although the assumption is false");
}

/* Without the point, T1 has one step between its start and its end. */
static void *points(void *unused)
{
    raddle_point();
    return unused;
}

void test_point(void)
{
    run(points);
}
