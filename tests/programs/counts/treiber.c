/* treiber T: each thread pushes its own node onto a stack, then pops one; a failed strong
 * compare-exchange is repeated with the value it returned. T=2: 40, T=3: 25680 executions. */
#include "counts.h"

struct node {
    struct node *next;
};

static struct node nodes[T];
static struct node *_Atomic top;

static void *push_pop(void *id)
{
    struct node *mine = &nodes[(intptr_t)id];
    struct node *old = LOAD(top);
    do {
        mine->next = old;
    } while (!atomic_compare_exchange_strong(&top, &old, mine));

    old = LOAD(top);
    while (old != NULL && !atomic_compare_exchange_strong(&top, &old, old->next))
        ;
    return NULL;
}

int main(void)
{
    run_all(T, push_pop);
    return 0;
}
