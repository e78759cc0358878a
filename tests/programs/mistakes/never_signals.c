/* A gate for one at a time. Wrong: who leaves signals nobody. That it is not one step from coming to leaving is its
 * purpose. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int slots = 1;

static void *pass(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    while (slots == 0)
        pthread_cond_wait(&c, &m);
    slots--;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    slots++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, pass, 0);
    pthread_create(&t[1], 0, pass, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
