/* A ring of records between those who log and the thread that writes. No locks. */
#ifndef RING_H
#define RING_H

#include "record.h"

#include <stdatomic.h>
#include <stdbool.h>

/* A power of two, so that the counters may run over. */
enum { RING_SLOTS = 4 };

struct ring {
    /* How many records were put in. */
    atomic_uint head;
    /* How many were taken out. */
    atomic_uint tail;
    _Atomic(struct record *) slots[RING_SLOTS];
};

void ring_init(struct ring *ring);

/* Puts a record in. False if the ring is full. */
bool ring_push(struct ring *ring, struct record *record);

/* Takes the oldest record out, or NULL. One thread only. */
struct record *ring_pop(struct ring *ring);

#endif
