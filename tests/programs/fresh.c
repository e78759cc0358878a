/* State that must be fresh in every execution and, where it is a thread's, distinct per thread. A
 * leftover of an earlier execution or of the other thread fails an assertion. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int initialised = 41;
static char zeroed[100000];
static int *lazy;
static _Thread_local int mine = 5;
static _Thread_local char mine_zeroed[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *before_main;
static pthread_key_t key;

__attribute__((constructor)) static void allocate_before_main(void)
{
    before_main = malloc(sizeof *before_main);
    *before_main = 3;
}

/* Lazily initialised: only the first caller of an execution allocates. */
static int *counter(void)
{
    if (!lazy) {
        lazy = malloc(64);
        assert(lazy);
        *lazy = 0;
    }
    return lazy;
}

static void *worker(void *argument)
{
    int number = *(int *)argument;
    assert(errno == 0);
    assert(mine == 5);
    for (int i = 0; i < 64; i++)
        assert(mine_zeroed[i] == 0);
    assert(pthread_getspecific(key) == NULL);

    errno = 100 + number;
    mine = number;
    mine_zeroed[number] = 1;
    pthread_setspecific(key, argument);
    char *block = malloc(100);
    memset(block, number, 100);

    pthread_mutex_lock(&lock);
    initialised++;
    zeroed[99999]++;
    ++*counter();
    ++*before_main;
    pthread_mutex_unlock(&lock);

    assert(errno == 100 + number);
    assert(mine == number);
    assert(mine_zeroed[number] == 1 && mine_zeroed[3 - number] == 0);
    assert(pthread_getspecific(key) == argument);
    for (int i = 0; i < 100; i++)
        assert(block[i] == number);
    free(block);
    return NULL;
}

int main(void)
{
    int numbers[2] = {1, 2};
    pthread_t threads[2];
    assert(initialised == 41);
    for (int i = 0; i < 100000; i++)
        assert(zeroed[i] == 0);
    assert(lazy == NULL);
    assert(*before_main == 3);
    assert(errno == 0);
    assert(mine == 5);
    mine = 77;
    errno = 9;
    assert(pthread_key_create(&key, NULL) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(mine == 77);
    assert(initialised == 43 && zeroed[99999] == 2 && *counter() == 2 && *before_main == 5);
    return 0;
}
