/* Variables of every kind that race, for `--promote-races`: each test is wrong or right whatever
 * the race is called, and most show it only where accesses are schedule points. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void both(void *(*body)(void *), void *argument)
{
    pthread_t first, second;
    pthread_create(&first, NULL, body, argument);
    pthread_create(&second, NULL, body, argument);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

struct pair {
    int unused;
    int count;
};

static void *count(void *pair)
{
    ((struct pair *)pair)->count++;
    return NULL;
}

/* A field of a block of the heap. */
void test_heap(void)
{
    struct pair *pair = calloc(1, sizeof *pair);
    both(count, pair);
    assert(pair->count == 2);
    free(pair);
}

/* A field of a variable of the function that waits for the threads. */
void test_stack(void)
{
    struct pair pair = { 0, 0 };
    both(count, &pair);
    assert(pair.count == 2);
}

struct account {
    int number;
    int balance;
} accounts[4];

static void *pay(void *unused)
{
    (void)unused;
    accounts[2].balance += 10;
    return NULL;
}

/* A field of an element of an array. */
void test_element(void)
{
    both(pay, NULL);
    assert(accounts[2].balance == 20);
}

int raised;
int seen;

static void *raise_and_lower(void *unused)
{
    (void)unused;
    raised = 1;
    __asm__ volatile("" ::: "memory");
    raised = 0;
    seen++;
    return NULL;
}

static void *look(void *unused)
{
    (void)unused;
    if (!raised)
        return NULL;
    seen++;
    return &seen;
}

/* Both count only where `raised` is read between its two writes: `seen` races once that is promoted. */
void test_in_sequence(void)
{
    pthread_t first, second;
    void *both_count;
    pthread_create(&first, NULL, raise_and_lower, NULL);
    pthread_create(&second, NULL, look, NULL);
    pthread_join(first, NULL);
    pthread_join(second, &both_count);
    assert(seen == (both_count ? 2 : 1));
}

int data, flag;

static void *hand_over(void *unused)
{
    (void)unused;
    data = 7;
    flag = 1;
    return NULL;
}

static void *take_over(void *unused)
{
    (void)unused;
    if (flag)
        assert(data == 7);
    return NULL;
}

/* The flag races; what it hands over is ordered by it once it is a synchronisation variable. */
void test_handover(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, hand_over, NULL);
    pthread_create(&second, NULL, take_over, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
int ready, value;

static void *initialise(void *unused)
{
    (void)unused;
    if (!ready) {
        pthread_mutex_lock(&once);
        if (!ready) {
            ready = 1;
            value = 42;
        }
        pthread_mutex_unlock(&once);
    }
    assert(value == 42);
    return NULL;
}

/* Double-checked locking, with the flag set too early. */
void test_double_checked(void)
{
    both(initialise, NULL);
}

static void *read_it(void *pair)
{
    return ((struct pair *)pair)->count > 5 ? pair : NULL;
}

/* Giving memory back is no access: what races with it is not promoted. */
void test_freed(void)
{
    pthread_t reader;
    struct pair *pair = calloc(1, sizeof *pair);
    pthread_create(&reader, NULL, read_it, pair);
    free(pair);
    pthread_join(reader, NULL);
}
