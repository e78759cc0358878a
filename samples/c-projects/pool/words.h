/* Counting words in parts of a text. */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>

/* How many words begin in this part of a text: those whose first letter lies in it. */
long words_between(const char *text, size_t from, size_t to);

/* Where the part with this number of so many parts of a text begins. */
size_t words_part(size_t length, size_t part, size_t parts);

#endif
