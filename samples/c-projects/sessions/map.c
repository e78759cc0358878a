#include "map.h"

#include "hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 4 };

static pthread_mutex_t *stripe_of(struct map *map, uint32_t hash)
{
    return &map->stripes[hash % MAP_STRIPES];
}

/* The entry of a key in a list, or NULL. */
static struct entry *find(struct entry *list, uint32_t hash, const char *key)
{
    for (struct entry *entry = list; entry != NULL; entry = entry->next) {
        if (entry->hash == hash && strcmp(entry->key, key) == 0)
            return entry;
    }
    return NULL;
}

static struct entry *entry_new(uint32_t hash, const char *key, long value)
{
    size_t length = strlen(key) + 1;
    struct entry *entry = malloc(sizeof *entry + length);
    if (entry == NULL)
        return NULL;
    entry->next = NULL;
    entry->hash = hash;
    entry->value = value;
    memcpy(entry->key, key, length);
    return entry;
}

static void lock_all(struct map *map)
{
    for (size_t i = 0; i < MAP_STRIPES; i++)
        pthread_mutex_lock(&map->stripes[i]);
}

static void unlock_all(struct map *map)
{
    for (size_t i = MAP_STRIPES; i > 0; i--)
        pthread_mutex_unlock(&map->stripes[i - 1]);
}

/* Puts all entries into new buckets, twice as many. Without memory the map stays as it is. */
static void grow(struct map *map, size_t from)
{
    lock_all(map);
    size_t size = atomic_load(&map->size);
    /* Somebody else may have been faster. */
    struct entry **buckets = size == from ? calloc(size * 2, sizeof *buckets) : NULL;
    if (buckets != NULL) {
        for (size_t i = 0; i < size; i++) {
            struct entry *entry = map->buckets[i];
            while (entry != NULL) {
                struct entry *next = entry->next;
                struct entry **bucket = &buckets[entry->hash & (size * 2 - 1)];
                entry->next = *bucket;
                *bucket = entry;
                entry = next;
            }
        }
        free(map->buckets);
        map->buckets = buckets;
        atomic_store(&map->size, size * 2);
    }
    unlock_all(map);
}

bool map_init(struct map *map)
{
    map->buckets = calloc(FIRST_SIZE, sizeof(struct entry *));
    if (map->buckets == NULL)
        return false;
    for (size_t i = 0; i < MAP_STRIPES; i++)
        pthread_mutex_init(&map->stripes[i], NULL);
    atomic_init(&map->size, FIRST_SIZE);
    atomic_init(&map->length, 0);
    return true;
}

void map_destroy(struct map *map)
{
    size_t size = atomic_load(&map->size);
    for (size_t i = 0; i < size; i++) {
        struct entry *entry = map->buckets[i];
        while (entry != NULL) {
            struct entry *next = entry->next;
            free(entry);
            entry = next;
        }
    }
    free(map->buckets);
    map->buckets = NULL;
    for (size_t i = 0; i < MAP_STRIPES; i++)
        pthread_mutex_destroy(&map->stripes[i]);
}

bool map_put(struct map *map, const char *key, long value)
{
    uint32_t hash = hash_text(key);
    struct entry *new = entry_new(hash, key, value);
    if (new == NULL)
        return false;
    pthread_mutex_t *stripe = stripe_of(map, hash);
    pthread_mutex_lock(stripe);
    size_t size = atomic_load(&map->size);
    struct entry **list = &map->buckets[hash & (size - 1)];
    struct entry *old = find(*list, hash, key);
    size_t length = 0;
    if (old != NULL) {
        old->value = value;
    } else {
        new->next = *list;
        *list = new;
        length = atomic_fetch_add(&map->length, 1) + 1;
    }
    pthread_mutex_unlock(stripe);
    if (old != NULL)
        free(new);
    if (length > size)
        grow(map, size);
    return true;
}

bool map_get(struct map *map, const char *key, long *value)
{
    uint32_t hash = hash_text(key);
    size_t bucket = hash & (atomic_load(&map->size) - 1);
    pthread_mutex_t *stripe = stripe_of(map, hash);
    pthread_mutex_lock(stripe);
    struct entry *entry = find(map->buckets[bucket], hash, key);
    if (entry != NULL)
        *value = entry->value;
    pthread_mutex_unlock(stripe);
    return entry != NULL;
}

bool map_remove(struct map *map, const char *key)
{
    uint32_t hash = hash_text(key);
    pthread_mutex_t *stripe = stripe_of(map, hash);
    pthread_mutex_lock(stripe);
    struct entry **link = &map->buckets[hash & (atomic_load(&map->size) - 1)];
    while (*link != NULL && ((*link)->hash != hash || strcmp((*link)->key, key) != 0))
        link = &(*link)->next;
    struct entry *entry = *link;
    if (entry != NULL) {
        *link = entry->next;
        atomic_fetch_sub(&map->length, 1);
    }
    pthread_mutex_unlock(stripe);
    free(entry);
    return entry != NULL;
}

size_t map_length(struct map *map)
{
    return atomic_load(&map->length);
}
