/* The ABA problem: a stack of nodes 1→2; T1 pops one; T2 does a = pop, b = pop, push a; main then
 * drains the stack and checks that no node is owned twice. */
#include "counts.h"
#include <assert.h>

struct node {
    struct node *_Atomic next;
    int owners;
};

static struct node second, first = {.next = &second};
static struct node *_Atomic top = &first;
static struct node *popped, *kept;

static struct node *pop(void)
{
    struct node *old = LOAD(top);
    while (old != NULL && !atomic_compare_exchange_strong(&top, &old, LOAD(old->next)))
        ;
    return old;
}

static void push(struct node *node)
{
    struct node *old = LOAD(top);
    do {
        STORE(node->next, old);
    } while (!atomic_compare_exchange_strong(&top, &old, node));
}

static void pop_two_push_one(void)
{
    struct node *a = pop();
    kept = pop();
    if (a != NULL)
        push(a);
}

static void *work(void *id)
{
    if (id == NULL)
        popped = pop();
    else
        pop_two_push_one();
    return NULL;
}

static void own(struct node *node)
{
    if (node != NULL)
        assert(node->owners++ == 0);
}

int main(void)
{
    run_all(2, work);
    own(popped);
    own(kept);
    for (struct node *node; (node = pop()) != NULL;)
        own(node);
    return 0;
}
