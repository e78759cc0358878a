/* Two clerks who work on two numbers, each by reading and writing it in functions of its own, so that a
 * focus has methods and variables to choose from. Either number may miss something, and both may. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int money = 10;
static atomic_int entries;

static void take(int amount)
{
    int seen = atomic_load(&money);
    atomic_store(&money, seen - amount);
}

static void note(void)
{
    int seen = atomic_load(&entries);
    atomic_store(&entries, seen + 1);
}

static void *pays(void *unused)
{
    take(1);
    note();
    take(1);
    return unused;
}

static void *lends(void *unused)
{
    note();
    take(2);
    note();
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, pays, NULL);
    pthread_create(&other, NULL, lends, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert(money == 6);
    assert(entries == 3);
    return 0;
}
