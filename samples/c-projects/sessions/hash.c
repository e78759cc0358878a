#include "hash.h"

uint32_t hash_text(const char *text)
{
    uint32_t hash = 2166136261u;
    for (const char *c = text; *c != '\0'; c++) {
        hash ^= (unsigned char)*c;
        hash *= 16777619u;
    }
    return hash;
}
