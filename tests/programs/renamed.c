// Two accounts are locked in the order in which they are given: a deadlock, told by the names of the accounts. A test renames
// one of them and the function (tests/living.rs).
#include <pthread.h>
#include <stddef.h>

struct account { pthread_mutex_t lock; int money; };
static struct account mine = { PTHREAD_MUTEX_INITIALIZER, 5 };
static struct account yours = { PTHREAD_MUTEX_INITIALIZER, 5 };

static void pay(struct account *from, struct account *to)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->money--;
    to->money++;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *gives(void *unused)
{
    pay(&mine, &yours);
    return unused;
}

static void *takes(void *unused)
{
    pay(&yours, &mine);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, gives, NULL);
    pthread_create(&b, NULL, takes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
