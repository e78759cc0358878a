/* Locals whose address every thread has, in lines with other expressions. What stands behind `//=` is what the
 * accesses of main in that line are to, however its compiler places them; nothing else may be named there. */
#include <assert.h>
#include <pthread.h>

static int seen[4];

static void *mark(void *arg)
{
    int own = *(int *)arg;
    seen[own & 3]++;
    return 0;
}

struct pair { int a, b; };

static void *add(void *arg)
{
    struct pair *pair = arg;
    pair->a++;
    return 0;
}

int main(void)
{
    pthread_t ids[2], other[1];
    struct pair both = { 1, 2 };
    int next = 0, log[4] = { 0 };
    pthread_create(&other[0], 0, add, &both); both.b = next; //= both.b, next
    for (int i = 0; i < 2; i++) pthread_create(&ids[i], 0, mark, &i); //= i
    pthread_create(&ids[next], 0, mark, &next); next++; //= next
    log[next] = 5;
    next += log[1]; //= next
    pthread_join(ids[1], 0), pthread_join(other[0], 0); //= ids[1], other[0]
    assert(next == -1 && "the end"); //= next
}
