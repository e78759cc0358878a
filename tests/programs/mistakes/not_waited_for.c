// The printer looks for a page once in each of its rounds, and goes on where there is none: then it is one page behind.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef PAGES
#define PAGES 2
#endif

static pthread_mutex_t tray = PTHREAD_MUTEX_INITIALIZER;
#ifdef INNER
// An inner loop, whose rounds are none of the printer's.
static pthread_mutex_t ink = PTHREAD_MUTEX_INITIALIZER;
#endif
static bool full;
static int page;

static void *writer(void *arg) {
    for (int i = 0; i < PAGES; i++) {
        pthread_mutex_lock(&tray);
        if (!full) {
            page = i + 1;
            full = true; // makes
        }
        pthread_mutex_unlock(&tray);
    }
    return arg;
}

static void print(int i) {
    pthread_mutex_lock(&tray);
#ifdef INNER
    for (int j = 0; j < 2; j++) {
        pthread_mutex_lock(&ink);
        pthread_mutex_unlock(&ink);
    }
#endif
    if (full) { // looks
        assert(page == i + 1);
        full = false;
    }
    pthread_mutex_unlock(&tray);
}

static void *printer(void *arg) {
#ifdef WRAPPED
    // Nothing is done in the outer loop itself, so nothing says which of its rounds it is.
    for (int i = 0; i < PAGES; i++) {
        for (int once = 0; once < 1; once++)
            print(i);
    }
#else
    for (int i = 0; i < PAGES; i++)
        print(i);
#endif
    return arg;
}

int main(void) {
    pthread_t w, p;
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&p, NULL, printer, NULL);
    pthread_join(w, NULL);
    pthread_join(p, NULL);
    return 0;
}
