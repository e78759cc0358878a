#include "sink.h"

#include <string.h>

void sink_init(struct sink *sink)
{
    sink->length = 0;
    sink->lines = 0;
}

void sink_write(struct sink *sink, const char *line, size_t length)
{
    sink->lines++;
    if (sink->length + length + 1 > SINK_BYTES)
        return;
    memcpy(sink->bytes + sink->length, line, length);
    sink->bytes[sink->length + length] = '\n';
    sink->length += length + 1;
}

void sink_show(const struct sink *sink, FILE *file)
{
    fwrite(sink->bytes, 1, sink->length, file);
}
