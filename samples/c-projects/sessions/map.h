/* A map from texts to numbers that several threads may use at once.
 *
 * The buckets are divided among a few locks, the stripes: bucket i belongs to stripe i modulo their number. There are
 * always more buckets than stripes, and both are powers of two, so a key keeps its stripe when the map grows. Who
 * grows the map holds all stripes. */
#ifndef MAP_H
#define MAP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAP_STRIPES = 2 };

/* One key with its value, in the list of its bucket. */
struct entry {
    struct entry *next;
    uint32_t hash;
    long value;
    char key[];
};

struct map {
    pthread_mutex_t stripes[MAP_STRIPES];
    struct entry **buckets;
    /* How many buckets there are. Changes with all stripes held. */
    atomic_size_t size;
    /* How many keys there are. */
    atomic_size_t length;
};

/* An empty map. False without memory. */
bool map_init(struct map *map);

/* Gives everything back. Nobody else uses the map any more. */
void map_destroy(struct map *map);

/* Sets the value of a key, a new one or not. False without memory. */
bool map_put(struct map *map, const char *key, long value);

/* Looks a key up. False if it is not there. */
bool map_get(struct map *map, const char *key, long *value);

/* Takes a key away. False if it was not there. */
bool map_remove(struct map *map, const char *key);

/* How many keys there are. */
size_t map_length(struct map *map);

#endif
