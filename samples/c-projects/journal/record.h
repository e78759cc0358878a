/* One message on its way to the sink. */
#ifndef RECORD_H
#define RECORD_H

#include <stddef.h>

enum level { LEVEL_DEBUG, LEVEL_INFO, LEVEL_ERROR };

enum { RECORD_TEXT = 48 };

struct record {
    enum level level;
    /* Which part of the program says so. */
    const char *source;
    char text[RECORD_TEXT];
};

/* A record on the heap, or NULL. A text that is too long is cut. */
struct record *record_new(enum level level, const char *source, const char *text);

void record_free(struct record *record);

/* Writes the record as a line into so many bytes, with a zero at its end; how long the line is. */
size_t record_format(const struct record *record, char *line, size_t size);

#endif
