// Atomics of two sizes at one address: a ticket lock whose halves are taken together and given back apart, as those
// of kernels and of lock libraries are.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static union {
    uint32_t both;
    struct {
        uint16_t serves, next;
    } half;
} lock;
static int counter;
static uint32_t word;
static int data;

static void *both(void *(*one)(void *), void *(*other)(void *)) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return NULL;
}

static void take(void) {
    uint32_t mine = __atomic_fetch_add(&lock.both, 0x10000, __ATOMIC_ACQUIRE) >> 16;
    while ((__atomic_load_n(&lock.both, __ATOMIC_ACQUIRE) & 0xffff) != mine) {
    }
}

static void *adds(void *arg) {
    take();
    counter++;
    __atomic_fetch_add(&lock.half.serves, 1, __ATOMIC_RELEASE);
    return arg;
}

void test_ticket_in_halves(void) {
    both(adds, adds);
    assert(counter == 2);
}

static void *adds_and_stores(void *arg) {
    take();
    counter++;
    uint16_t now = __atomic_load_n(&lock.half.serves, __ATOMIC_RELAXED);
    __atomic_store_n(&lock.half.serves, now + 1, __ATOMIC_RELEASE);
    return arg;
}

void test_ticket_stored_in_halves(void) {
    both(adds_and_stores, adds_and_stores);
    assert(counter == 2);
}

static void *adds_relaxed(void *arg) {
    take();
    counter++; /* nothing gives it over */
    __atomic_fetch_add(&lock.half.serves, 1, __ATOMIC_RELAXED);
    return arg;
}

void test_relaxed_half(void) {
    both(adds_relaxed, adds_relaxed);
}

static void *publishes_the_whole(void *arg) {
    data = 1;
    __atomic_store_n(&word, 0x10001, __ATOMIC_RELEASE);
    return arg;
}

static void *reads_a_half(void *arg) {
    if (__atomic_load_n((uint16_t *)&word + 1, __ATOMIC_ACQUIRE) == 1) {
        assert(data == 1);
    }
    return arg;
}

void test_half_of_what_was_published(void) {
    both(publishes_the_whole, reads_a_half);
}

static void *publishes_a_half_and_wipes_it(void *arg) {
    __atomic_store_n((uint16_t *)&word, 1, __ATOMIC_RELEASE);
    data = 1; /* behind the release */
    __atomic_store_n(&word, 2, __ATOMIC_RELAXED);
    return arg;
}

static void *reads_the_whole(void *arg) {
    if (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 2) {
        assert(data == 1); /* was not given over */
    }
    return arg;
}

void test_wiped_half(void) {
    both(publishes_a_half_and_wipes_it, reads_the_whole);
}
