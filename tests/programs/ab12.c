/* The example of the One Page Model Checker's paper (section 2): one thread prints a and b, the
 * other 1 and 2. Every execution fails, saying what was printed. */
#include "raddle.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char printed[5];
static int length;

static void print(char c)
{
    putchar(c);
    pthread_mutex_lock(&lock);
    printed[length++] = c;
    pthread_mutex_unlock(&lock);
}

static void *letters(void *unused)
{
    (void)unused;
    print('a');
    print('b');
    return NULL;
}

static void *digits(void *unused)
{
    (void)unused;
    print('1');
    print('2');
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, letters, NULL);
    pthread_create(&threads[1], NULL, digits, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    raddle_assert(0, printed);
    return 0;
}
