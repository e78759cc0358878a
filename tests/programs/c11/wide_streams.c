/* Functions of stdio for wide characters: one thread calls one, and another touches what that touches. With -DGUARDED both hold
   a lock. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

int __swprintf_chk(wchar_t *into, size_t n, int flag, size_t room, const wchar_t *format, ...);
int __fwprintf_chk(FILE *file, int flag, const wchar_t *format, ...);
wchar_t *__fgetws_chk(wchar_t *into, size_t room, int n, FILE *file);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static wchar_t wide[16] = L"12 34", format[16] = L"%d %d";
static char text[16] = "12 34", memory[16];
static int number;
static wchar_t *grown;
static size_t size;

static void enter(void)
{
#ifdef GUARDED
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef GUARDED
    pthread_mutex_unlock(&lock);
#endif
}

#define DOES(name, what)                                                                           \
    static void *name(void *unused)                                                                \
    {                                                                                              \
        enter();                                                                                   \
        what;                                                                                      \
        leave();                                                                                   \
        return unused;                                                                             \
    }

DOES(widens, wide[1] = L'3')
DOES(formats, format[4] = L'd')
DOES(texts, text[1] = '3')
DOES(remembers, memory[1] = '3')
DOES(counts, number = 7)
DOES(asks, if (grown) unused = &size)
DOES(reads, if (grown[0] == L'a') unused = &size)
DOES(prints, fputws(L"printed", stdout))

#define BESIDE(name, other_thread, call)                                                           \
    static void in_##name(void)                                                                    \
    {                                                                                              \
        pthread_t t;                                                                               \
        pthread_create(&t, 0, other_thread, 0);                                                    \
        enter();                                                                                   \
        call;                                                                                      \
        leave();                                                                                   \
        pthread_join(t, 0);                                                                        \
    }

static int listed(wchar_t *into, size_t n, const wchar_t *form, ...)
{
    va_list list;
    va_start(list, form);
    int printed = vswprintf(into, n, form, list);
    va_end(list);
    return printed;
}

static int scanned(const wchar_t *from, const wchar_t *form, ...)
{
    va_list list;
    va_start(list, form);
    int found = vswscanf(from, form, list);
    va_end(list);
    return found;
}

static void given(void)
{
    int fd = memfd_create("input", 0);
    assert(write(fd, "12 34", 5) == 5 && lseek(fd, 0, SEEK_SET) == 0);
    file = fdopen(fd, "r");
    assert(file);
}

/* Text and formats that they read. */
BESIDE(fputws, widens, fputws(wide, stdout))
void test_fputws(void) { in_fputws(); }
BESIDE(wprintf, widens, wprintf(L"%d %f %ls", 1, 2.5, wide))
void test_wprintf(void) { in_wprintf(); }
BESIDE(fwprintf, texts, fwprintf(stdout, L"%.4s", text))
void test_fwprintf(void) { in_fwprintf(); }
BESIDE(fwprintf_format, formats, fwprintf(stdout, format, 1, 2))
void test_fwprintf_format(void) { in_fwprintf_format(); }
BESIDE(fwprintf_chk, widens, __fwprintf_chk(stdout, 0, L"%S", wide))
void test_fwprintf_chk(void) { in_fwprintf_chk(); }
BESIDE(swscanf_from, widens, int n; assert(swscanf(wide, L"%d", &n) == 1))
void test_swscanf_from(void) { in_swscanf_from(); }
BESIDE(swscanf_format, formats, int n; int m; assert(swscanf(L"1 2", format, &n, &m) == 2))
void test_swscanf_format(void) { in_swscanf_format(); }
BESIDE(swprintf_from, widens, wchar_t into[20]; swprintf(into, 20, L"%ls", wide))
void test_swprintf_from(void) { in_swprintf_from(); }

/* Memory that they fill. */
BESIDE(swprintf, widens, swprintf(wide, 16, L"%d", 56))
void test_swprintf(void) { in_swprintf(); }
BESIDE(swprintf_full, widens, assert(swprintf(wide, 2, L"%d", 56) < 0))
void test_swprintf_full(void) { in_swprintf_full(); }
BESIDE(vswprintf, widens, assert(listed(wide, 16, L"%d", 56) == 2))
void test_vswprintf(void) { in_vswprintf(); }
BESIDE(swprintf_chk, widens, assert(__swprintf_chk(wide, 16, 0, 16, L"%d", 56) == 2))
void test_swprintf_chk(void) { in_swprintf_chk(); }
BESIDE(swscanf, counts, assert(swscanf(L"5", L"%d", &number) == 1))
void test_swscanf(void) { in_swscanf(); }
BESIDE(swscanf_wide, widens, assert(swscanf(L"56", L"%l[0-9]", wide) == 1))
void test_swscanf_wide(void) { in_swscanf_wide(); }
BESIDE(vswscanf, texts, assert(scanned(L"56", L"%s", text) == 1))
void test_vswscanf(void) { in_vswscanf(); }
BESIDE(fwscanf, counts, assert(fwscanf(file, L"%d", &number) == 1))
void test_fwscanf(void) { given(); in_fwscanf(); fclose(file); }
BESIDE(fgetws, widens, assert(fgetws(wide, 16, file) == wide))
void test_fgetws(void) { given(); in_fgetws(); fclose(file); }
BESIDE(fgetws_chk, widens, assert(__fgetws_chk(wide, 16, 4, file) == wide))
void test_fgetws_chk(void) { given(); in_fgetws_chk(); fclose(file); }

/* Memory that a stream was lent. */
BESIDE(lent_getwc, remembers, assert(getwc(file) == L'1'))
void test_lent_getwc(void) { given(); setvbuf(file, memory, _IOFBF, sizeof memory); in_lent_getwc(); fclose(file); }
BESIDE(lent_fputwc, remembers, assert(fputwc(L'1', stdout) == L'1'))
void test_lent_fputwc(void) { setvbuf(stdout, memory, _IOFBF, sizeof memory); in_lent_fputwc(); }
BESIDE(lent_grown, asks, fputws(L"x", file); fflush(file))
void test_lent_grown(void) { file = open_wmemstream(&grown, &size); in_lent_grown(); fclose(file); free(grown); }
BESIDE(lent_text, reads, fputws(L"x", file))
void test_lent_text(void) { file = open_wmemstream(&grown, &size); fputws(L"a", file); fflush(file); in_lent_text(); fclose(file); free(grown); }

/* Streams without their locks. */
#ifdef UNLOCKED
BESIDE(fputwc_unlocked, prints, fputwc_unlocked(L'a', stdout))
void test_fputwc_unlocked(void) { in_fputwc_unlocked(); }
BESIDE(putwc_unlocked, prints, putwc_unlocked(L'a', stdout))
void test_putwc_unlocked(void) { in_putwc_unlocked(); }
BESIDE(putwchar_unlocked, prints, putwchar_unlocked(L'a'))
void test_putwchar_unlocked(void) { in_putwchar_unlocked(); }
BESIDE(fputws_unlocked, prints, fputws_unlocked(L"a", stdout))
void test_fputws_unlocked(void) { in_fputws_unlocked(); }
DOES(takes, getwc_unlocked(file))
BESIDE(fgetwc_unlocked, takes, fgetwc_unlocked(file))
void test_fgetwc_unlocked(void) { given(); in_fgetwc_unlocked(); fclose(file); }
BESIDE(fgetws_unlocked, takes, wchar_t into[4]; fgetws_unlocked(into, 4, file))
void test_fgetws_unlocked(void) { given(); in_fgetws_unlocked(); fclose(file); }
#endif

/* Streams whose locks are taken race with nobody; nor does what nobody else touches. */
BESIDE(none_locked, prints, wprintf(L"here"); putwchar(L'x'); putwc(L'y', stdout); assert(fwide(stdout, 0) > 0))
void test_none_locked(void) { in_none_locked(); }
BESIDE(none_one, widens, swprintf(wide, 1, L""))
void test_none_one(void) { in_none_one(); }
BESIDE(none_precise, widens, wprintf(L"%.1ls", wide))
void test_none_precise(void) { in_none_precise(); }

/* They work as libc's own. */
void test_values(void)
{
    int n = 0, m = 0;
    wchar_t into[16];
    char narrow[16];
    assert(swprintf(into, 16, L"%d-%s-%ls-%.2f", 5, "a", L"b", 1.5) == 10 && wcscmp(into, L"5-a-b-1.50") == 0);
    assert(listed(into, 16, L"%d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7) == 13 && wcscmp(into, L"1 2 3 4 5 6 7") == 0);
    assert(swscanf(L"12 34 word", L"%d %d %s", &n, &m, narrow) == 3 && n == 12 && m == 34 && strcmp(narrow, "word") == 0);
    assert(scanned(L"56 wide", L"%d %ls", &n, into) == 2 && n == 56 && wcscmp(into, L"wide") == 0);
    given();
    assert(fwscanf(file, L"%d", &n) == 1 && n == 12 && getwc(file) == L' ' && ungetwc(L'x', file) == L'x');
    assert(fgetws(into, 16, file) == into && wcscmp(into, L"x34") == 0 && getwc(file) == WEOF);
    fclose(file);
    file = open_wmemstream(&grown, &size);
    assert(fwprintf(file, L"%d", 567) == 3 && fputws(L"ab", file) >= 0 && fputwc(L'c', file) == L'c');
    fclose(file);
    assert(size == 6 && wcscmp(grown, L"567abc") == 0);
    free(grown);
}

/* Whether a stream is one for wide characters each execution decides anew: whoever comes first. */
DOES(narrows, printf("narrow"))
void test_none_either(void)
{
    pthread_t t;
    assert(fwide(stdout, 0) == 0);
    pthread_create(&t, 0, narrows, 0);
    flockfile(stdout);
    wprintf(L"wide");
    funlockfile(stdout);
    pthread_join(t, 0);
}
