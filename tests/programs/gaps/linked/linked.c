// Programs for gaps that linking shows; `build.sh` names them.
#define _GNU_SOURCE
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char text[] = "ab";

struct pair {
    long first, second;
};

#if defined(structs_by_value)
struct pair twice(long n) {
    struct pair made = {n, n};
    return made;
}
#elif defined(structs_by_value_not)
void twice(long n, struct pair *made) { made->first = made->second = n; }
#endif

#ifdef PART
int part(void);
#endif

int main(int count, char **words) {
#if defined(libc_accesses)
    return strfry(text) != text;
#elif defined(libc_accesses_not)
    return strlen(text) != 2;
#elif defined(libc_files)
    char path[4096];
    return !realpath("/", path);
#elif defined(libc_files_not)
    return access("/", F_OK);
#elif defined(stream_locks)
    argp_parse(0, count, words, 0, 0, 0);
    return 0;
#elif defined(stream_locks_not)
    return printf("%s\n", text) != 3;
#elif defined(libc_blocks)
    char *block = 0;
    size_t size = 0;
    FILE *stream = open_memstream(&block, &size);
    fclose(stream);
    free(block);
    return 0;
#elif defined(libc_blocks_not)
    FILE *stream = fmemopen(text, sizeof text, "r");
    fclose(stream);
    return 0;
#elif defined(assembly)
    __asm__ volatile("incb %0" : "+m"(text[0]));
    return 0;
#elif defined(assembly_not)
    int n = 1;
    __asm__ volatile("incl %0" : "+r"(n));
    return n - 2;
#elif defined(structs_by_value)
    return twice(0).first;
#elif defined(structs_by_value_not)
    struct pair made;
    twice(0, &made);
    return made.first;
#elif defined(PART)
    return part();
#else
    return 0;
#endif
}
