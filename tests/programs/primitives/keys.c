/* Values of a thread's own, and their destructors: rounds of them, as long as there are values. DELETES: the key is deleted by
 * one thread while another one ends. MANY: more keys than are modelled. WRONG: it is taken for granted that the destructor runs. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>

static pthread_key_t again, plain, late;
static int rounds, ran_late;

static void set_again(void *value)
{
    rounds++;
    assert(pthread_getspecific(again) == NULL);
    pthread_setspecific(again, value);
    if (rounds == 1)
        pthread_setspecific(late, value);
}

static void count(void *value)
{
    (void)value;
    ran_late++;
}

#ifdef DELETES
static void *work(void *value)
{
    pthread_setspecific(late, value);
    return NULL;
}
#else
static void *work(void *value)
{
    pthread_setspecific(again, value);
    pthread_setspecific(plain, value);
    pthread_exit(NULL);
}
#endif

int main(void)
{
    pthread_t thread;
    pthread_key_create(&again, set_again);
    pthread_key_create(&plain, NULL);
    pthread_key_create(&late, count);
    pthread_create(&thread, NULL, work, &rounds);
#ifdef DELETES
    pthread_key_delete(late);
    pthread_join(thread, NULL);
#ifdef WRONG
    assert(ran_late == 1);
#endif
#else
    pthread_join(thread, NULL);
    assert(rounds == PTHREAD_DESTRUCTOR_ITERATIONS && ran_late == 1);
    assert(pthread_key_delete(again) == 0 && pthread_key_delete(again) == EINVAL);
    assert(pthread_setspecific(again, &rounds) == EINVAL && pthread_getspecific(again) == NULL);
#endif
#ifdef MANY
    for (int i = 0; i < 500; i++)
        assert(pthread_key_create(&plain, NULL) == 0);
#endif
    return 0;
}
