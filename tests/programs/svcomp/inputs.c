/* Inputs by the names of SV-COMP: each test fails for one value of one of them, and passes for the others. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern void *__VERIFIER_nondet_pointer(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int limit, seen;

static void *reads(void *unused)
{
    pthread_mutex_lock(&m);
    seen = limit;
    pthread_mutex_unlock(&m);
    return unused;
}

/* Only if the thread comes second, and for one of five values. */
void test_int(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reads, NULL);
    int given = __VERIFIER_nondet_int(); /* given */
    pthread_mutex_lock(&m);
    limit = given;
    pthread_mutex_unlock(&m);
    pthread_join(thread, NULL);
    if (seen < -1)
        reach_error(); /* reached */
}

void test_no_int_fails(void)
{
    int given = __VERIFIER_nondet_int();
    if (given == 42)
        reach_error();
}

/* Every bound comes as it lies in its type. */
void test_bounds(void)
{
    unsigned small = __VERIFIER_nondet_uint();
    if (small != 0 && small != 1 && small != UINT_MAX)
        reach_error();
    char letter = __VERIFIER_nondet_char();
    unsigned char octet = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(letter == CHAR_MIN && octet == UCHAR_MAX);
    if (letter != -128 || octet != 255)
        reach_error();
    long wide = __VERIFIER_nondet_long();
    __VERIFIER_assume(wide == LONG_MIN);
    if (__VERIFIER_nondet_ushort() > USHRT_MAX)
        reach_error();
}

void test_bool(void)
{
    _Bool one = __VERIFIER_nondet_bool();
    _Bool other = __VERIFIER_nondet_bool();
    if (one + other > 2)
        reach_error();
}

void test_ulonglong(void)
{
    if (__VERIFIER_nondet_ulonglong() == ULLONG_MAX)
        reach_error();
}

void test_pointer(void)
{
    if (!__VERIFIER_nondet_pointer())
        reach_error();
}

void test_float(void)
{
    float f = __VERIFIER_nondet_float();
    double d = __VERIFIER_nondet_double();
    if (f < -1e30f && d > 1e300)
        reach_error();
}
