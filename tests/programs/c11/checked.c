/* Functions that check sizes, as compilers call them with _FORTIFY_SOURCE: each test has one thread that writes a buffer
   and one that hands it to the function. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

extern void *copy(void *, const void *, size_t, size_t) __asm__("__memcpy_chk");
extern void *move(void *, const void *, size_t, size_t) __asm__("__memmove_chk");
extern void *copy_on(void *, const void *, size_t, size_t) __asm__("__mempcpy_chk");
extern void *set(void *, int, size_t, size_t) __asm__("__memset_chk");
extern char *string(char *, const char *, size_t) __asm__("__strcpy_chk");
extern char *string_on(char *, const char *, size_t) __asm__("__stpcpy_chk");
extern char *part(char *, const char *, size_t, size_t) __asm__("__strncpy_chk");
extern char *part_on(char *, const char *, size_t, size_t) __asm__("__stpncpy_chk");
extern char *append(char *, const char *, size_t) __asm__("__strcat_chk");
extern char *append_part(char *, const char *, size_t, size_t) __asm__("__strncat_chk");
extern int print(int, const char *, ...) __asm__("__printf_chk");
extern int print_to(FILE *, int, const char *, ...) __asm__("__fprintf_chk");
extern int print_fd(int, int, const char *, ...) __asm__("__dprintf_chk");
extern int print_in(char *, int, size_t, const char *, ...) __asm__("__sprintf_chk");
extern int print_most(char *, size_t, int, size_t, const char *, ...) __asm__("__snprintf_chk");
extern int list_print(int, const char *, va_list) __asm__("__vprintf_chk");
extern int list_to(FILE *, int, const char *, va_list) __asm__("__vfprintf_chk");
extern int list_fd(int, int, const char *, va_list) __asm__("__vdprintf_chk");
extern int list_in(char *, int, size_t, const char *, va_list) __asm__("__vsprintf_chk");
extern int list_most(char *, size_t, int, size_t, const char *, va_list) __asm__("__vsnprintf_chk");
extern size_t block(void *, size_t, size_t, size_t, FILE *) __asm__("__fread_chk");
extern char *line(char *, size_t, int, FILE *) __asm__("__fgets_chk");

static char text[64] = "12 words", own[64], format[64] = "%s %d\n";

static void *writes(void *unused)
{
    text[3] = 'W'; /* writes */
    return unused;
}

/* Calls the function that is given a list. */
static void lists(int which, ...)
{
    va_list list;
    va_start(list, which);
    if (which == 0)
        list_print(1, format, list);
    if (which == 1)
        list_to(stderr, 1, format, list);
    if (which == 2)
        list_fd(2, 1, format, list);
    if (which == 3)
        list_in(own, 1, sizeof own, format, list);
    if (which == 4)
        list_most(own, sizeof own, 1, sizeof own, format, list);
    va_end(list);
}

static FILE *file(void)
{
    FILE *it = tmpfile();
    fputs("a line that is read\n", it);
    rewind(it);
    return it;
}

#define BESIDE(name, call)                                                                         \
    static void in_##name(void)                                                                    \
    {                                                                                              \
        pthread_t t;                                                                               \
        pthread_create(&t, 0, writes, 0);                                                          \
        call;                                                                                      \
        pthread_join(t, 0);                                                                        \
    }

BESIDE(memcpy_from, copy(own, text, 8, sizeof own))
BESIDE(memcpy_to, copy(text, own, 8, sizeof text))
BESIDE(memmove, move(own, text, 8, sizeof own))
BESIDE(mempcpy, copy_on(own, text, 8, sizeof own))
BESIDE(memset, set(text, 1, 8, sizeof text))
BESIDE(strcpy, string(own, text, sizeof own))
BESIDE(stpcpy, string_on(own, text, sizeof own))
BESIDE(strncpy, part(own, text, 8, sizeof own))
BESIDE(stpncpy, part_on(own, text, 8, sizeof own))
BESIDE(strcat, append(own, text, sizeof own))
BESIDE(strncat, append_part(own, text, 8, sizeof own))
BESIDE(printf, print(1, format, text, 1))
BESIDE(fprintf, print_to(stderr, 1, format, text, 1))
BESIDE(dprintf, print_fd(2, 1, format, text, 1))
BESIDE(sprintf, print_in(own, 1, sizeof own, format, text, 1))
BESIDE(snprintf, print_most(own, sizeof own, 1, sizeof own, format, text, 1))
BESIDE(sprintf_to, print_in(text, 1, sizeof text, "%d words", 12))
BESIDE(snprintf_to, print_most(text, sizeof text, 1, sizeof text, "%d words", 12))
BESIDE(vprintf, lists(0, text, 1))
BESIDE(vfprintf, lists(1, text, 1))
BESIDE(vdprintf, lists(2, text, 1))
BESIDE(vsprintf, lists(3, text, 1))
BESIDE(vsnprintf, lists(4, text, 1))
BESIDE(fread, block(text, sizeof text, 1, 8, file()))
BESIDE(fgets, line(text, sizeof text, 8, file()))

void test_memcpy_from(void) { in_memcpy_from(); }
void test_memcpy_to(void) { in_memcpy_to(); }
void test_memmove(void) { in_memmove(); }
void test_mempcpy(void) { in_mempcpy(); }
void test_memset(void) { in_memset(); }
void test_strcpy(void) { in_strcpy(); }
void test_stpcpy(void) { in_stpcpy(); }
void test_strncpy(void) { in_strncpy(); }
void test_stpncpy(void) { in_stpncpy(); }
void test_strcat(void) { in_strcat(); }
void test_strncat(void) { in_strncat(); }
void test_printf(void) { in_printf(); }
void test_fprintf(void) { in_fprintf(); }
void test_dprintf(void) { in_dprintf(); }
void test_sprintf(void) { in_sprintf(); }
void test_snprintf(void) { in_snprintf(); }
void test_sprintf_to(void) { in_sprintf_to(); }
void test_snprintf_to(void) { in_snprintf_to(); }
void test_vprintf(void) { in_vprintf(); }
void test_vfprintf(void) { in_vfprintf(); }
void test_vdprintf(void) { in_vdprintf(); }
void test_vsprintf(void) { in_vsprintf(); }
void test_vsnprintf(void) { in_vsnprintf(); }
void test_fread(void) { in_fread(); }
void test_fgets(void) { in_fgets(); }
