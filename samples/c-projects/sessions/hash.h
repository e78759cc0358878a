/* Hashes of texts. */
#ifndef HASH_H
#define HASH_H

#include <stdint.h>

/* The hash of a text: FNV-1a, 32 bits. */
uint32_t hash_text(const char *text);

#endif
