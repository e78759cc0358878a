/* What the programs of the suite share: starting threads in an order that a variant may choose. */
#ifndef SUITE_H
#define SUITE_H

#include <pthread.h>
#include <stdint.h>

typedef void *body(void *);

/* Starts one thread for each function and waits for all of them. Each is given its place in the list;
 * with -DORDER=1,0 the second of the list is started first. */
static inline void run_all(int count, body *const bodies[])
{
#ifdef ORDER
    static const int order[] = {ORDER};
#endif
    pthread_t threads[8];
    for (int i = 0; i < count; i++) {
#ifdef ORDER
        int n = order[i];
#else
        int n = i;
#endif
        pthread_create(&threads[n], NULL, bodies[n], (void *)(intptr_t)n);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

#define RUN(...) \
    do { \
        static body *const bodies[] = {__VA_ARGS__}; \
        run_all(sizeof bodies / sizeof *bodies, bodies); \
    } while (0)

#endif
