#include "words.h"

#include <ctype.h>
#include <stdbool.h>

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '\'';
}

long words_between(const char *text, size_t from, size_t to)
{
    long words = 0;
    for (size_t i = from; i < to; i++) {
        bool begins = is_letter(text[i]) && (i == 0 || !is_letter(text[i - 1]));
        if (begins)
            words++;
    }
    return words;
}

size_t words_part(size_t length, size_t part, size_t parts)
{
    return length * part / parts;
}
