/* A list with a lock in each node: who walks along it holds two neighbours' locks, and so does who removes a node.
 * ONE_LOCK: a node is removed with the lock of the one before alone. */
#include "../suite.h"
#include <assert.h>
#include <stddef.h>

struct node {
    int key;
    struct node *next;
    pthread_mutex_t lock;
};

static struct node third = {3, NULL, PTHREAD_MUTEX_INITIALIZER};
static struct node second = {2, &third, PTHREAD_MUTEX_INITIALIZER};
static struct node first = {1, &second, PTHREAD_MUTEX_INITIALIZER};
static struct node head = {0, &first, PTHREAD_MUTEX_INITIALIZER};

static void erase(int key)
{
    struct node *before = &head;
    pthread_mutex_lock(&before->lock);
    struct node *at = before->next;
#ifndef ONE_LOCK
    pthread_mutex_lock(&at->lock);
#endif
    while (at->key < key) {
#ifdef ONE_LOCK
        pthread_mutex_lock(&at->lock);
#endif
        pthread_mutex_unlock(&before->lock);
        before = at;
        at = before->next;
#ifndef ONE_LOCK
        pthread_mutex_lock(&at->lock);
#endif
    }
    before->next = at->next;
#ifndef ONE_LOCK
    pthread_mutex_unlock(&at->lock);
#endif
    pthread_mutex_unlock(&before->lock);
}

static void *erase_first(void *unused)
{
    erase(1);
    return unused;
}

static void *erase_second(void *unused)
{
    erase(2);
    return unused;
}

int main(void)
{
    RUN(erase_first, erase_second);
    assert(head.next == &third);
    return 0;
}
