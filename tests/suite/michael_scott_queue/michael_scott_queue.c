/* The queue of Michael and Scott: two threads put a node each, and main takes both.
 * BY_STORE: the last node's link is looked at and then stored. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *_Atomic next;
    int value;
};

static struct node dummy, nodes[2];
static struct node *_Atomic head = &dummy, *_Atomic tail = &dummy;

static void put(struct node *node)
{
    for (;;) {
        struct node *last = tail;
        struct node *next = last->next;
        if (next) {
            /* Somebody has linked a node and not moved the tail yet. */
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
#ifdef BY_STORE
        last->next = node;
#else
        if (!atomic_compare_exchange_strong(&last->next, &next, node))
            continue;
#endif
        atomic_compare_exchange_strong(&tail, &last, node);
        return;
    }
}

static int take(void)
{
    for (;;) {
        struct node *first = head, *last = tail;
        struct node *next = first->next;
        if (!next)
            return 0;
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        int value = next->value;
        if (atomic_compare_exchange_strong(&head, &first, next))
            return value;
    }
}

static void *producer(void *number)
{
    struct node *node = &nodes[(intptr_t)number];
    node->value = (int)(intptr_t)number + 1;
    put(node);
    return NULL;
}

int main(void)
{
    RUN(producer, producer);
    int sum = take();
    sum += take();
    assert(sum == 3 && take() == 0);
    return 0;
}
