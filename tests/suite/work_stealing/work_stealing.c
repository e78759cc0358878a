/* The work-stealing deque of Chase and Lev: the owner takes from the bottom, a thief from the top.
 * NO_CAS: the owner takes the last item without asking. TOP_FIRST: it looks at the top before it lowers the bottom. */
#include "../suite.h"
#include <assert.h>
#include <stdatomic.h>

static const int items[2] = {0, 1};
static atomic_int top, bottom = 2;
static atomic_int taken[2];

static int take(void)
{
#ifdef TOP_FIRST
    int first = top;
    int last = bottom - 1;
    bottom = last;
#else
    int last = bottom - 1;
    bottom = last;
    int first = top;
#endif
    if (first > last) {
        bottom = last + 1;
        return -1;
    }
    int item = items[last];
    if (first == last) {
#ifdef NO_CAS
        top = first + 1;
#else
        if (!atomic_compare_exchange_strong(&top, &first, first + 1))
            item = -1;
#endif
        bottom = last + 1;
    }
    return item;
}

static int steal(void)
{
    int first = top;
    int last = bottom;
    if (first >= last)
        return -1;
    int item = items[first];
    return atomic_compare_exchange_strong(&top, &first, first + 1) ? item : -1;
}

static void *owner(void *unused)
{
    for (int i = 0; i < 2; i++) {
        int item = take();
        if (item >= 0)
            assert(atomic_fetch_add(&taken[item], 1) == 0);
    }
    return unused;
}

static void *thief(void *unused)
{
    for (int i = 0; i < 2; i++) {
        int item = steal();
        if (item >= 0)
            assert(atomic_fetch_add(&taken[item], 1) == 0);
    }
    return unused;
}

int main(void)
{
    RUN(owner, thief);
    return 0;
}
