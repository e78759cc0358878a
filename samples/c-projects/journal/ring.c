#include "ring.h"

#include <stddef.h>

void ring_init(struct ring *ring)
{
    atomic_init(&ring->head, 0);
    atomic_init(&ring->tail, 0);
    for (size_t i = 0; i < RING_SLOTS; i++)
        atomic_init(&ring->slots[i], NULL);
}

bool ring_push(struct ring *ring, struct record *record)
{
    unsigned head = atomic_load(&ring->head);
    if (head - atomic_load(&ring->tail) == RING_SLOTS)
        return false;
    atomic_store(&ring->slots[head % RING_SLOTS], record);
    atomic_store(&ring->head, head + 1);
    return true;
}

struct record *ring_pop(struct ring *ring)
{
    unsigned tail = atomic_load(&ring->tail);
    if (tail == atomic_load(&ring->head))
        return NULL;
    struct record *record = atomic_load(&ring->slots[tail % RING_SLOTS]);
    atomic_store(&ring->tail, tail + 1);
    return record;
}
