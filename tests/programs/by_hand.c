/* Markers and statement points called by hand, so that what the runtime makes of them is seen
 * alone. Compiled by the plain compiler and linked by `raddle cc`; the first argument says what
 * runs, the second at which event the stack is written down. */
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct raddle_method {
    const char *name;
    size_t name_len;
    const char *file;
    size_t file_len;
    unsigned line, unused;
};
unsigned raddle_rt_enter(const struct raddle_method *);
void raddle_rt_leave(unsigned);
void raddle_rt_statement(void);
unsigned raddle_choose(unsigned);
void raddle_point(void);
void raddle_assert_at(int, const char *);
extern volatile struct { uint64_t stop_at; uint32_t stop_on, by_signal; } *volatile raddle_debug;
extern const char raddle_debug_stack[];

static inline void leave(const unsigned *token) { raddle_rt_leave(*token); }

#define METHOD(NAME) \
    static const struct raddle_method method = {NAME, sizeof NAME - 1, __FILE__, sizeof __FILE__ - 1, __LINE__, 0}
#define FN(NAME) \
    METHOD(NAME); \
    __attribute__((cleanup(leave))) const unsigned token = raddle_rt_enter(&method)
#define POINT raddle_rt_statement()

typedef void *(*body)(void *);

static void two(body first, body second)
{
    pthread_t threads[2];
    POINT;
    pthread_create(&threads[0], NULL, first, NULL);
    POINT;
    pthread_create(&threads[1], NULL, second, NULL);
    POINT;
    pthread_join(threads[0], NULL);
    POINT;
    pthread_join(threads[1], NULL);
    POINT;
}

/* The printer of paper 002: each print is one statement, whatever stdio does in it. */
static char printed[8];

static void print(char c)
{
    FN("print");
    POINT;
    flockfile(stdout);
    printf("%c", c);
    putchar('.');
    funlockfile(stdout);
    size_t n = strlen(printed);
    printed[n] = c;
}

static void *letters(void *p)
{
    FN("letters");
    POINT; print('a');
    POINT; print('b');
    return p;
}

static void *digits(void *p)
{
    FN("digits");
    POINT; print('1');
    POINT; print('2');
    return p;
}

static void ab12(void)
{
    FN("ab12");
    two(letters, digits);
    raddle_assert_at(0, printed);
}

/* Locks: a statement that has to wait ends the other thread's only at its next point. */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *adds(void *p)
{
    FN("adds");
    POINT; pthread_mutex_lock(&m);
    POINT; counter++;
    POINT; pthread_mutex_unlock(&m);
    return p;
}

static void locks(void)
{
    FN("locks");
    two(adds, adds);
    raddle_assert_at(counter == 2, "counted");
}

static void *forth(void *p)
{
    FN("forth");
    POINT; pthread_mutex_lock(&m);
    POINT; pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
    return p;
}

static void *back(void *p)
{
    FN("back");
    POINT; pthread_mutex_lock(&n);
    POINT; pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    return p;
}

static void crossed(void) { two(forth, back); }

/* Both locks in one statement: no switch between them. */
static void *forth_at_once(void *p)
{
    FN("forth");
    POINT; pthread_mutex_lock(&m), pthread_mutex_lock(&n), pthread_mutex_unlock(&n), pthread_mutex_unlock(&m);
    return p;
}

static void *back_at_once(void *p)
{
    FN("back");
    POINT; pthread_mutex_lock(&n), pthread_mutex_lock(&m), pthread_mutex_unlock(&m), pthread_mutex_unlock(&n);
    return p;
}

static void uncrossed(void) { two(forth_at_once, back_at_once); }

/* Which waiter is woken is a choice, also where the notify is no point. */
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int woken;
static char first;

static void *waits(void *p)
{
    FN("waits");
    pthread_mutex_lock(&m);
    while (!woken)
        pthread_cond_wait(&c, &m);
    if (!first)
        first = p ? '2' : '1';
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void notifies(void)
{
    FN("notifies");
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, waits, NULL);
    pthread_create(&threads[1], NULL, waits, &c);
    POINT;
    pthread_mutex_lock(&m);
    woken = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    raddle_assert_at(0, first == '1' ? "the first" : "the second");
}

/* Choices outside of the functions with points. */
static void *chooses(void *p)
{
    FN("chooses");
    unsigned a = raddle_choose(3), b = raddle_choose(1), d = raddle_choose(2);
    char *text[] = {"zero", "one", "two", "three", "four", "five"};
    raddle_point();
    raddle_assert_at(0, text[a * 2 + b + d]);
    return p;
}

static void *nothing(void *p)
{
    FN("nothing");
    POINT;
    return p;
}

static void choices(void) { two(nothing, chooses); }

/* A loop that waits without a point. */
static volatile int set;

static void *spins(void *p)
{
    FN("spins");
    POINT;
    while (!set) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return p;
}

static void *sets(void *p)
{
    FN("sets");
    POINT; set = 1;
    return p;
}

static void spinning(void) { two(spins, sets); }

/* Functions that end otherwise than by their end. */
static jmp_buf target;

static void op(void) { pthread_mutex_lock(&n), pthread_mutex_unlock(&n); }

static void __attribute__((noinline)) jumps(int how)
{
    FN("jumps");
    op();
    if (how)
        _longjmp(target, 1);
    longjmp(target, 1);
}

static void __attribute__((noinline)) recurses(int depth, int how)
{
    FN("recurses");
    if (depth > 0)
        recurses(depth - 1, how);
    else
        jumps(how);
}

static void __attribute__((noinline)) catches(int how)
{
    FN("catches");
    if (setjmp(target) == 0)
        recurses(2, how);
    op();
}

/* A function in the same stack frame as the one that is jumped back to. */
static inline void __attribute__((always_inline)) inlined(void)
{
    FN("inlined");
    op();
    longjmp(target, 1);
}

static void __attribute__((noinline)) catches_inlined(void)
{
    FN("catches_inlined");
    if (setjmp(target) == 0)
        inlined();
    op();
}

static void __attribute__((noinline)) leaves_early(int how)
{
    FN("leaves_early");
    if (how)
        return;
    op();
}

/* A destructor of thread-specific data: runs when the functions that pthread_exit left are gone. */
static pthread_key_t key;

static void marked(void) { FN("marked"); op(); }

static void destroys(void *p)
{
    (void)p;
    op();
    marked();
}

static void *exits(void *p)
{
    FN("exits");
    {
        FN("inner");
        pthread_setspecific(key, &key);
        op();
        pthread_exit(p);
    }
}

static void ends(void)
{
    FN("ends");
    op();
    catches(0);
    op();
    catches(1);
    catches_inlined();
    leaves_early(1);
    op();
    leaves_early(0);
    op();
    pthread_t thread;
    pthread_key_create(&key, destroys);
    pthread_create(&thread, NULL, exits, NULL);
    pthread_join(thread, NULL);
    op();
    puts(raddle_debug_stack);
}

/* Fails, or ends by exit, deep in the stack; the next execution must begin with an empty one. */
static void __attribute__((noinline)) fails(int how)
{
    FN("fails");
    op();
    if (how)
        exit(3);
    raddle_assert_at(0, "deep");
}

/* The event to stop at, plus one; 0 for none. The stack is all that is wanted: nobody waits. */
static void stop_at(uint64_t event)
{
    raddle_debug->by_signal = 0;
    raddle_debug->stop_at = event;
}

static void again(void)
{
    stop_at(1);
    op();
    int stale = raddle_debug_stack[0] != 0;
    FN("again");
    raddle_assert_at(!stale, "stale");
    unsigned how = raddle_choose(3);
    if (how < 2)
        fails(how);
    stop_at(0);
}

/* A recursion as deep as the stack allows to be. */
static unsigned long deep(unsigned long depth)
{
    FN("deep");
    return depth == 0 ? 0 : 1 + deep(depth - 1);
}

static void deeply(void)
{
    op();
    raddle_assert_at(deep(20000) == 20000, "deep");
    op();
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(void); } all[] = {
        {"ab12", ab12}, {"locks", locks}, {"crossed", crossed}, {"uncrossed", uncrossed},
        {"notifies", notifies}, {"choices", choices}, {"spinning", spinning}, {"ends", ends},
        {"again", again}, {"deeply", deeply},
    };
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0) {
            if (argc > 2)
                stop_at(strtoull(argv[2], NULL, 10) + 1);
            all[i].run();
            return 0;
        }
    return 2;
}
