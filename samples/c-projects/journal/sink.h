/* Where lines go: kept in memory, and shown at the end. */
#ifndef SINK_H
#define SINK_H

#include <stddef.h>
#include <stdio.h>

enum { SINK_BYTES = 512 };

struct sink {
    char bytes[SINK_BYTES];
    size_t length;
    size_t lines;
};

void sink_init(struct sink *sink);

/* Appends a line. One that has no room is counted all the same. */
void sink_write(struct sink *sink, const char *line, size_t length);

void sink_show(const struct sink *sink, FILE *file);

#endif
