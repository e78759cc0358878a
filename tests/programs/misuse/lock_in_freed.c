/* An account is closed by one thread while another is about to lock it: nothing orders the two. */
#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account *account;
static pthread_t depositor;

static void *deposit(void *arg)
{
    pthread_mutex_lock(&account->lock); /* locked */
    account->balance += 10;
    pthread_mutex_unlock(&account->lock);
    return arg;
}

static void *end(void *arg)
{
#ifdef FIXED
    pthread_join(depositor, NULL);
#endif
    free(account); /* freed */
    return arg;
}

int main(void)
{
    pthread_t t;
    account = malloc(sizeof *account); /* made */
    pthread_mutex_init(&account->lock, NULL);
    account->balance = 0;
    pthread_create(&depositor, NULL, deposit, NULL);
    pthread_create(&t, NULL, end, NULL);
    pthread_join(t, NULL);
#ifndef FIXED
    pthread_join(depositor, NULL);
#endif
    return 0;
}
