#include <stdio.h>
#include <stdlib.h>
#define FOR_EACH(i, n) for (int i = 0; i < (n); i++)
#define OPEN_BLOCK {
#define CLOSE_BLOCK }
static int shared;
enum { RED, GREEN };
static int old(a, b) int a; long b; { return a + (int)b + shared; }
static int nested(int x)
{
    int twice(int y) { return y * 2 + shared; }
    return twice(x);
}
static int computed(int i)
{
    static void *where[] = { &&one, &&two };
    goto *where[i];
one:
    shared++;
    return 1;
two:
    return 2 + shared;
}
static int expression(int x)
{
    int y = ({ int z = x + shared; z * 2; });
    return y;
}
static void duff(char *to, const char *from, int count)
{
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7:      *to++ = *from++;
    case 6:      *to++ = *from++;
    case 5:      *to++ = *from++;
    case 4:      *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}
static int arms(int x,
#ifdef WIDE
                long y
#else
                int y
#endif
                )
{
    return x + (int)y;
}
static int dangling(int a, int b)
{
    if (a)
        if (b) shared++;
        else shared--;
    else if (b) return shared; else shared = 3;
    for (;;) if (shared++ > 3) break;
    do shared--; while (shared > 0);
    while (shared < 3) shared++;
    return a ? shared : b;
}
static int macros(int n)
{
    int sum = 0;
    FOR_EACH(i, n) sum += i;
    FOR_EACH(i, n) { sum += shared; }
    FOR_EACH(i, n) printf("%d", i);
    if (n) OPEN_BLOCK
        sum++;
    CLOSE_BLOCK
    return sum;
}
static int conditional(int n)
{
#ifdef WIDE
    if (n > 3) {
#else
    if (n > 2) {
#endif
        shared++;
    }
    return printf("%d\n", \
        n);
}
static int labels(int n)
{
    switch (n) {
        int unused;
    case RED: { int k = shared; return k; }
    case GREEN:
        ;
        int q = shared;
        unused = q;
        return unused;
    default: goto out;
    }
out:
    asm volatile("" ::: "memory");
    return 0;
}
#define SWAP(a, b) spare = a; a = b; b = spare
#define CHECK(x) if (!(x)) shared = 7
#define ONCE(x) do { shared = x; } while (0)
/* Bodies without braces that only the preprocessor knows. */
static int bodies(int n)
{
    int one = 1, other = 2, spare = 9;
    shared = 0;
    if (n > 1) SWAP(one, other);
    if (n) CHECK(shared == 0); else shared = 3;
    if (n > 2) ONCE(5);
    for (int i = 0; i < n; i++) shared++;
    while (n-- > 5) printf("%d ", n);
    return one * 100 + other * 10 + shared;
}
__attribute__((noinline)) static int attribute(void) { return __LINE__; }
inline static void nothing(void) { }
int
main(void)
{
    char to[20] = "", from[] = "abcdefghijk";
    duff(to, from, 11);
    printf("%d %d %d %d %d %s %d\n", old(1, 2L), nested(3), computed(0), computed(1), expression(4), to, arms(1, 2));
    printf("%d %d %d\n", dangling(1, 0), macros(4), conditional(3));
    printf("%d %d %d %d %s\n", labels(RED), labels(GREEN), labels(7), attribute(), __FILE__);
    printf("%d %d %d %d\n", bodies(0), bodies(1), bodies(2), bodies(7));
    nothing();
    return 0;
}
