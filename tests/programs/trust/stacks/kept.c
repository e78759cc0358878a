/* right: alloca, VLAs, a block of a function without end, nested calls and setjmp around what others use */
#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
static int leaf(int n) { volatile int a[16]; memset((void *)a, n, sizeof a); return a[3]; }
static jmp_buf b;
static void deep(int n) { if (n) deep(n - 1); else longjmp(b, 1); }
static void *w(void *a) { int *p = a; for (int i = 0; i < 4; i++) p[i]++; return 0; }
static int use(int n) {
    int v[n]; int *p = alloca(4 * sizeof *p); int s = 0;
    memset(v, 0, sizeof v); memset(p, 0, 16);
    pthread_t t, u;
    pthread_create(&t, 0, w, v); pthread_create(&u, 0, w, p);
    leaf(1);
    if (!setjmp(b)) deep(3);
    leaf(2);
    pthread_join(t, 0); pthread_join(u, 0);
    for (int i = 0; i < 4; i++) s += v[i] + p[i];
    return s;
}
int main(void) { assert(use(4) == 8); assert(use(9) == 8); return 0; }
