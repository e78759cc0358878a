/* The queue lock of Mellor-Crummey and Scott: each waits at a node of its own.
 * NO_WAIT: who gives the lock back does not wait for a successor that is about to link its node. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *_Atomic next;
    atomic_int waiting;
};

static struct node nodes[2];
static struct node *_Atomic tail;
static int counter;

static void lock(struct node *mine)
{
    mine->waiting = 1;
    struct node *before = atomic_exchange(&tail, mine);
    if (before) {
        before->next = mine;
        while (mine->waiting)
            ;
    }
}

static void unlock(struct node *mine)
{
    struct node *behind = mine->next;
    if (!behind) {
        struct node *last = mine;
        if (atomic_compare_exchange_strong(&tail, &last, NULL))
            return;
#ifdef NO_WAIT
        return;
#else
        while (!(behind = mine->next))
            ;
#endif
    }
    behind->waiting = 0;
}

static void *count(void *number)
{
    struct node *mine = &nodes[(intptr_t)number];
    lock(mine);
    counter++;
    unlock(mine);
    return NULL;
}

int main(void)
{
    RUN(count, count);
    assert(counter == 2);
    return 0;
}
