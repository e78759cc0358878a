/* A journal: any thread logs, and one thread of its own formats the records and writes them to a sink. */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "record.h"
#include "ring.h"
#include "sink.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct journal {
    struct ring ring;
    struct sink sink;
    pthread_t writer;
    /* The writer sleeps with it. */
    pthread_mutex_t lock;
    pthread_cond_t news;
    /* Nobody logs any more. With the lock. */
    bool closing;
    /* Below this nothing is logged. */
    enum level least;
    /* Records that found no room. */
    atomic_uint dropped;
};

/* Opens a journal and starts its writer. An errno value, or 0. */
int journal_open(struct journal *journal, enum level least);

/* Logs a text. False if there was no room for it. */
bool journal_log(struct journal *journal, enum level level, const char *source, const char *text);

/* Writes what is in the ring, and ends the writer. How many lines there are. */
size_t journal_close(struct journal *journal);

#endif
