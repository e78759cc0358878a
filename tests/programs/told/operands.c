// Assertions that fail, one for each MODE: what their variables were is told, and never wrongly. In the second comment stands
// what is told of it without optimisation, in the first what is known of optimised code as well.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct item { int n; struct item *next; };
struct queue { int size; struct item *head; short levels[4]; };

static struct queue *q;
static int total;
static enum colour { RED, GREEN } colour;

static int get(struct queue *of) { return of->size; }

static void *work(void *arg)
{
    struct queue *own = arg;
    own->size++;
    own->levels[2] = -3;
    own->head->n = 9;
    total += 5;
    colour = GREEN;
    return 0;
}

int main(void)
{
    q = calloc(1, sizeof *q);
    q->head = calloc(1, sizeof *q->head);
    pthread_t t;
    pthread_create(&t, 0, work, q);
    pthread_join(t, 0);
    for (int i = 0; i < 3; i++) {
        long twice = 2 * i;
#if MODE == 0
        assert(get(q) + i < 3 || twice == 1); // | i = 2, twice = 4
#elif MODE == 1
        assert(q->head->n == i); // q->head->n = 9 | q->head->n = 9, i = 0
#elif MODE == 2
        assert(q->levels[i] == twice); // | q->levels[i] = 0, i = 1, twice = 2
#elif MODE == 3
        // gcc's debug information says i = 1 of this at -O2.
        if (total != i && colour == GREEN)
            assert(0); // total = 5, colour = GREEN | total = 5, i = 0, colour = GREEN
#elif MODE == 4
        struct item *next = q->head->next;
        assert(next != 0); // | next = null
#elif MODE == 5
        assert(q->levels[2] == -3 && total++ < 5); // q->levels[2] = -3 | q->levels[2] = -3
#endif
        (void)twice, (void)i, (void)get;
    }
    return 0;
}
