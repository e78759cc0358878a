/* What the programs of known counts share. Every access that a program's definition names is a
 * sequentially consistent atomic load or store of its own, since their number and order decide the
 * count: never a compound assignment, which would be one read-modify-write. */
#ifndef COUNTS_H
#define COUNTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define LOAD(x) atomic_load(&(x))
#define STORE(x, value) atomic_store(&(x), (value))

/* Thread `body` with a number instead of a pointer. */
static inline pthread_t start(void *(*body)(void *), intptr_t number)
{
    pthread_t thread;
    pthread_create(&thread, NULL, body, (void *)number);
    return thread;
}

/* Starts threads 0 to count-1 with the same body, and waits for all of them. With -DORDER=2,0,1 they are
 * started in this order: what a search finds first must not hang on it. */
static inline void run_all(int count, void *(*body)(void *))
{
#ifdef ORDER
    static const int order[] = {ORDER};
#endif
    pthread_t threads[count];
    for (int i = 0; i < count; i++) {
#ifdef ORDER
        threads[i] = start(body, order[i]);
#else
        threads[i] = start(body, i);
#endif
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

#endif
