#include "record.h"

#include <stdlib.h>
#include <string.h>

static const char *level_name(enum level level)
{
    switch (level) {
    case LEVEL_DEBUG:
        return "debug";
    case LEVEL_INFO:
        return "info";
    case LEVEL_ERROR:
        return "error";
    }
    return "?";
}

struct record *record_new(enum level level, const char *source, const char *text)
{
    struct record *record = malloc(sizeof *record);
    if (record == NULL)
        return NULL;
    size_t length = strlen(text);
    if (length >= RECORD_TEXT)
        length = RECORD_TEXT - 1;
    record->level = level;
    record->source = source;
    memcpy(record->text, text, length);
    record->text[length] = '\0';
    return record;
}

void record_free(struct record *record)
{
    free(record);
}

/* Appends a text to a line, as much of it as has room; where the line ends then. */
static size_t append(char *line, size_t size, size_t end, const char *text)
{
    while (*text != '\0' && end + 1 < size)
        line[end++] = *text++;
    line[end] = '\0';
    return end;
}

size_t record_format(const struct record *record, char *line, size_t size)
{
    size_t end = 0;
    if (size == 0)
        return 0;
    end = append(line, size, end, level_name(record->level));
    end = append(line, size, end, " ");
    end = append(line, size, end, record->source);
    end = append(line, size, end, ": ");
    return append(line, size, end, record->text);
}
