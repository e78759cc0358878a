/* The atomic builtins of gcc and clang and <stdatomic.h>: what they return and leave, and that they are steps. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* For each size: every builtin by its old and its new value. */
#define OF(T, name)                                                                                \
    static T name;                                                                                 \
    static void values_##name(void)                                                                \
    {                                                                                              \
        T top = (T)~(T)0, e;                                                                       \
        name = 12;                                                                                 \
        assert(__sync_fetch_and_add(&name, 3) == 12 && name == 15);                                \
        assert(__sync_add_and_fetch(&name, 1) == 16);                                              \
        assert(__sync_fetch_and_sub(&name, 4) == 16 && __sync_sub_and_fetch(&name, 2) == 10);      \
        assert(__sync_fetch_and_or(&name, 5) == 10 && __sync_or_and_fetch(&name, 16) == 31);       \
        assert(__sync_fetch_and_and(&name, 14) == 31 && __sync_and_and_fetch(&name, 12) == 12);    \
        assert(__sync_fetch_and_xor(&name, 6) == 12 && __sync_xor_and_fetch(&name, 3) == 9);       \
        assert(__sync_fetch_and_nand(&name, 8) == 9 && name == (T)~(T)8);                          \
        assert(__sync_nand_and_fetch(&name, 1) == (T)~(T)1);                                       \
        assert(!__sync_bool_compare_and_swap(&name, 5, 6) && name == (T)(top - 1));                \
        assert(__sync_val_compare_and_swap(&name, (T)(top - 1), 6) == (T)(top - 1) && name == 6);  \
        assert(__sync_lock_test_and_set(&name, 1) == 6);                                           \
        __sync_lock_release(&name);                                                                \
        __sync_synchronize();                                                                      \
        assert(__atomic_load_n(&name, __ATOMIC_ACQUIRE) == 0);                                     \
        __atomic_store_n(&name, top, __ATOMIC_RELEASE);                                            \
        assert(__atomic_fetch_add(&name, 2, __ATOMIC_RELAXED) == top && name == 1);                \
        assert(__atomic_add_fetch(&name, 2, __ATOMIC_ACQ_REL) == 3);                               \
        assert(__atomic_nand_fetch(&name, 1, __ATOMIC_SEQ_CST) == (T)~(T)1);                       \
        assert(__atomic_exchange_n(&name, 9, __ATOMIC_SEQ_CST) == (T)~(T)1);                       \
        e = 8;                                                                                     \
        assert(!__atomic_compare_exchange_n(&name, &e, 1, false, 5, 0) && e == 9);                 \
        assert(__atomic_compare_exchange_n(&name, &e, top, false, 5, 0) && name == top);           \
        T value = 4, old;                                                                          \
        __atomic_exchange(&name, &value, &old, __ATOMIC_SEQ_CST);                                  \
        assert(old == top && name == 4);                                                           \
        __atomic_load(&name, &old, __ATOMIC_SEQ_CST);                                              \
        assert(old == 4);                                                                          \
    }                                                                                              \
    static void *adds_##name(void *unused)                                                         \
    {                                                                                              \
        __atomic_fetch_add(&name, 1, __ATOMIC_SEQ_CST);                                            \
        return unused;                                                                             \
    }                                                                                              \
    static void loses_##name(void)                                                                 \
    {                                                                                              \
        T now = __atomic_load_n(&name, __ATOMIC_SEQ_CST);                                          \
        __atomic_store_n(&name, (T)(now + 1), __ATOMIC_SEQ_CST); /* loses */                       \
    }                                                                                              \
    static void both_##name(void)                                                                  \
    {                                                                                              \
        pthread_t t;                                                                               \
        values_##name();                                                                           \
        name = 0;                                                                                  \
        pthread_create(&t, 0, adds_##name, 0);                                                     \
        adds_##name(0);                                                                            \
        pthread_join(t, 0);                                                                        \
        assert(name == 2);                                                                         \
    }                                                                                              \
    static void lost_##name(void)                                                                  \
    {                                                                                              \
        pthread_t t;                                                                               \
        name = 0;                                                                                  \
        pthread_create(&t, 0, adds_##name, 0);                                                     \
        loses_##name();                                                                            \
        pthread_join(t, 0);                                                                        \
        assert(name == 2);                                                                         \
    }

OF(uint8_t, one)
OF(uint16_t, two)
OF(uint32_t, four)
OF(uint64_t, eight)
typedef unsigned __int128 u128;
OF(u128, sixteen)
void test_values_of_16(void) { both_sixteen(); }
void test_loses_of_16(void) { lost_sixteen(); }

void test_values_of_1(void) { both_one(); }
void test_values_of_2(void) { both_two(); }
void test_values_of_4(void) { both_four(); }
void test_values_of_8(void) { both_eight(); }
void test_loses_of_1(void) { lost_one(); }
void test_loses_of_2(void) { lost_two(); }
void test_loses_of_4(void) { lost_four(); }
void test_loses_of_8(void) { lost_eight(); }

static atomic_flag taken = ATOMIC_FLAG_INIT;
static int guarded;

static void *locked(void *unused)
{
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
        ;
    guarded++;
    atomic_flag_clear_explicit(&taken, memory_order_release);
    return unused;
}

void test_a_flag_is_a_lock(void)
{
    pthread_t t;
    pthread_create(&t, 0, locked, 0);
    locked(0);
    pthread_join(t, 0);
    assert(guarded == 2);
}

static _Atomic int count;

static void *raises(void *unused)
{
    int seen = atomic_load(&count);
    while (!atomic_compare_exchange_weak(&count, &seen, seen + 1))
        ;
    return unused;
}

void test_weak_in_a_loop(void)
{
    pthread_t t;
    pthread_create(&t, 0, raises, 0);
    raises(0);
    pthread_join(t, 0);
    assert(count == 2);
}

void test_weak_once(void)
{
    pthread_t t;
    pthread_create(&t, 0, raises, 0);
    pthread_join(t, 0);
    int seen = 1;
    assert(atomic_compare_exchange_weak(&count, &seen, 2)); /* may fail by itself */
}
