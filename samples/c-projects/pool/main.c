/* Counts the words of a text on a pool of threads, and compares with what one thread counts. */
#include "future.h"
#include "pool.h"
#include "words.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 2, PARTS = 2 };

static const char text[] = "To raddle: to interweave threads. A raddle: the comb on a loom that "
                           "holds each thread in its place, so that the cloth is even.";

/* One part of the text, and how many words it has. */
struct part {
    size_t from;
    size_t to;
    struct future words;
};

static struct pool pool;
static struct part parts[PARTS];

static void count(void *argument)
{
    struct part *part = argument;
    future_set(&part->words, words_between(text, part->from, part->to));
}

int main(void)
{
    size_t length = strlen(text);
    if (pool_init(&pool, THREADS) != 0) {
        fprintf(stderr, "the pool does not start\n");
        return 1;
    }
    for (size_t i = 0; i < PARTS; i++) {
        struct part *part = &parts[i];
        part->from = words_part(length, i, PARTS);
        part->to = words_part(length, i + 1, PARTS);
        future_init(&part->words);
        int error = pool_submit(&pool, count, part);
        assert(error == 0);
    }
    long words = 0;
    for (size_t i = 0; i < PARTS; i++)
        words += future_get(&parts[i].words);
    size_t done = pool_shutdown(&pool);
    assert(done == PARTS);
    assert(words == words_between(text, 0, length));
    for (size_t i = 0; i < PARTS; i++)
        future_destroy(&parts[i].words);
    printf("%ld words\n", words);
    return 0;
}
