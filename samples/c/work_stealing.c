/* A queue that work is stolen from: its owner pushes and pops at the tail, a thief takes at the
 * head. As in Cilk's THE protocol the owner mostly takes no lock: whoever wants an element says so
 * first (the owner lowers the tail, a thief raises the head) and then looks whether the other has
 * done so too. A thief in doubt takes it back; an owner in doubt asks again with the lock.
 *
 * As it is it has no failure. -DMISTAKE=1, 2 or 3 builds it with one that such queues have had:
 *   1  a thief looks whether there is an element before it says that it wants it
 *   2  an owner in doubt asks again without the lock
 *   3  a thief that finds nothing does not take back what it said
 * Two preemptions at most show each of them:
 *   raddle explore samples/c/work_stealing.c --cflags -DMISTAKE=2 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef MISTAKE
#define MISTAKE 0
#endif
#ifndef STEALS
#define STEALS 2
#endif

#define SIZE 4 /* a power of two; one place stays free: a thief may still read it */
#define PLACE(index) ((index) & (SIZE - 1))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int head; /* the element that is stolen next */
static atomic_int tail; /* behind the element pushed last */
static int bottom;      /* the same, without what the owner says in a pop */
static int elements[SIZE];

/* The owner adds an element, if there is room. */
static bool push(int element)
{
    if (bottom - head >= SIZE - 1)
        return false;
    elements[PLACE(bottom)] = element;
    tail = ++bottom;
    return true;
}

/* The owner says that it wants the element pushed last, and looks whether it can have it. */
static bool claim(int *element)
{
    tail = bottom - 1;
    if (head > bottom - 1) {
        tail = bottom;
        return false;
    }
    *element = elements[PLACE(--bottom)];
    return true;
}

/* The owner takes the element pushed last; false if there is none. */
static bool pop(int *element)
{
    if (claim(element))
        return true;
#if MISTAKE == 2
    return claim(element);
#else
    /* A thief is half way, or there is nothing. With the lock nobody is half way. */
    pthread_mutex_lock(&lock);
    bool popped = claim(element);
    pthread_mutex_unlock(&lock);
    return popped;
#endif
}

/* A thief takes the element pushed first; false if there is none. */
static bool steal(int *element)
{
    bool stolen = false;
    pthread_mutex_lock(&lock);
#if MISTAKE == 1
    int h = head;
    if (h < tail) {
        *element = elements[PLACE(h)];
        head = h + 1;
        stolen = true;
    }
#else
    int h = atomic_fetch_add(&head, 1);
    if (h < tail) {
        *element = elements[PLACE(h)];
        stolen = true;
    } else if (MISTAKE != 3) {
        head = h;
    }
#endif
    pthread_mutex_unlock(&lock);
    return stolen;
}

#define LAST 3 /* elements are 1 to LAST */

static int owned[LAST + 1], stolen[LAST + 1];

static void *thief(void *unused)
{
    (void)unused;
    int element;
    for (int i = 0; i < STEALS; i++)
        if (steal(&element))
            stolen[element]++;
    return NULL;
}

int main(void)
{
    pthread_t other;
    int element;
    pthread_create(&other, NULL, thief, NULL);
    push(1);
    push(2);
    if (pop(&element))
        owned[element]++;
    push(LAST);
    while (pop(&element))
        owned[element]++;
    /* The owner found it empty and pushes no more: whatever it has not, the thief has. */
    pthread_join(other, NULL);
    for (int i = 1; i <= LAST; i++)
        assert(owned[i] + stolen[i] == 1);
    return 0;
}
