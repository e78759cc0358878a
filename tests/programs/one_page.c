/* Paper 002, section 6: threads of STATEMENTS statements each (3 to 8), which touch nothing of each other's.
 * With MEET they write the same variable, so what is left in it depends on their order. */
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif

static int cells[THREADS][8];
static int met;

static void *work(void *cell)
{
    int *own = cell;
#ifdef MEET
    met = 2 * met + (own != cells[0]);
    met = 2 * met + (own != cells[0]);
    met = 2 * met + (own != cells[0]);
#else
    own[0] = 1;
    own[1] = 2;
    own[2] = 3;
#if STATEMENTS > 3
    own[3] = 4;
#endif
#if STATEMENTS > 4
    own[4] = 5;
#endif
#if STATEMENTS > 5
    own[5] = 6;
#endif
#if STATEMENTS > 6
    own[6] = 7;
#endif
#if STATEMENTS > 7
    own[7] = 8;
#endif
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, cells[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
