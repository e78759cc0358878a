/* N threads that do the same beside one that does something else (`odd`). Each test fails in few of its interleavings. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void beside(void *(*many)(void *), void *(*odd)(void *)) {
    pthread_t t[N + 1];
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, many, 0);
    pthread_create(&t[N], 0, odd, 0);
    for (int i = 0; i <= N; i++) pthread_join(t[i], 0);
}

/* A pair is torn. */
static atomic_int a, b;
static void *set(void *p) { a = 1; b = -1; return 0; }
static void *check(void *p) { int x = a, y = b; assert((x == 0 && y == 0) || (x == 1 && y == -1)); return 0; }
void test_pair(void) { beside(set, check); }

/* The same; each of the many has a block and a lock of its own, with which it begins. */
static struct { pthread_mutex_t lock; int seen; } own[N];
static void *set_own(void *p) {
    int i = (int)(long)p;
    pthread_mutex_lock(&own[i].lock);
    own[i].seen = 1;
    pthread_mutex_unlock(&own[i].lock);
    return set(0);
}
void test_own_blocks(void) {
    pthread_t t[N + 1];
    for (int i = 0; i < N; i++) pthread_mutex_init(&own[i].lock, 0);
    for (int i = 0; i <= N; i++) pthread_create(&t[i], 0, i == N ? check : set_own, (void *)(long)i);
    for (int i = 0; i <= N; i++) pthread_join(t[i], 0);
}

/* What was checked does not hold any more. */
static atomic_int count;
static void *increment(void *p) { count++; return 0; }
static void *check_twice(void *p) { int x = count, y = count; assert(x == y); return 0; }
void test_check_then_act(void) { beside(increment, check_twice); }

/* Two of the many are in between. */
static atomic_int in, out;
static void *pass(void *p) { in++; out++; return 0; }
static void *look(void *p) { int i = in, o = out; assert(i - o < 2); return 0; }
void test_two_in_between(void) { beside(pass, look); }

/* One of the many is in between, and one is through. */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, q = PTHREAD_MUTEX_INITIALIZER;
static int busy, done;
static void *work(void *p) {
    pthread_mutex_lock(&m); busy++; pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m); busy--; done++; pthread_mutex_unlock(&m);
    return 0;
}
static void *inspect(void *p) {
    pthread_mutex_lock(&m); int now = busy, all = done; pthread_mutex_unlock(&m);
    assert(!(now == 1 && all == 1));
    return 0;
}
void test_stages(void) { beside(work, inspect); }

/* The wakeup of the last one is lost. */
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *finish(void *p) {
    pthread_mutex_lock(&m); int last = ++done == N; pthread_mutex_unlock(&m);
    if (last) pthread_cond_broadcast(&c);
    return 0;
}
static void *await(void *p) {
    pthread_mutex_lock(&m); int go = done == N; pthread_mutex_unlock(&m);
    if (!go) { pthread_mutex_lock(&q); pthread_cond_wait(&c, &q); pthread_mutex_unlock(&q); }
    return 0;
}
void test_lost_wakeup(void) { beside(finish, await); }

/* A block is freed by who gives the last reference back, and by who looks for that. */
static atomic_int references;
static int *_Atomic block;
static void release(void) { int *old = block; if (old) { block = 0; free(old); } }
static void *give_back(void *p) { if (--references == 0) release(); return 0; }
static void *collect(void *p) { if (references == 0) release(); return 0; }
void test_double_free(void) { references = N; block = malloc(4); beside(give_back, collect); }

/* Locks are taken in the other order, if somebody is busy. */
static atomic_int is_busy;
static void *forth(void *p) {
    pthread_mutex_lock(&m); is_busy = 1; pthread_mutex_lock(&q);
    pthread_mutex_unlock(&q); is_busy = 0; pthread_mutex_unlock(&m);
    return 0;
}
static void *back(void *p) {
    pthread_mutex_lock(&q);
    if (is_busy) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
    pthread_mutex_unlock(&q);
    return 0;
}
void test_lock_order(void) { beside(forth, back); }

/* The read lock is given back between two looks. */
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int value;
static void *write_(void *p) { pthread_rwlock_wrlock(&l); value++; pthread_rwlock_unlock(&l); return 0; }
static int read_(void) { pthread_rwlock_rdlock(&l); int x = value; pthread_rwlock_unlock(&l); return x; }
static void *read_twice(void *p) { int x = read_(), y = read_(); assert(x == y); return 0; }
void test_read_lock(void) { beside(write_, read_twice); }
