/* Memory that functions of libc touch: each test has one thread that writes a buffer and one that hands it to the
   function. With -DGUARDED both hold a lock. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[64] = "12 words", other[64] = "12 words";
static int numbers[4] = {4, 3, 2, 1};
static unsigned seed;

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

static void *writes(void *unused)
{
    enter();
    text[3] = 'W'; /* writes */
    leave();
    return unused;
}

static void *sets(void *unused)
{
    enter();
    numbers[1] = 7; /* sets */
    seed = 5;
    leave();
    return unused;
}

static wchar_t wide[16] = L"abc", wide_into[16];

static void *widens(void *unused)
{
    enter();
    wide[1] = L'B';
    leave();
    return unused;
}

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

static volatile long result;
static char into[64];

static void print_list(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(into, sizeof into, format, list);
    va_end(list);
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

BESIDE(strlen, writes, result = strlen(text))
void test_strlen(void) { in_strlen(); }
BESIDE(strcpy, writes, strcpy(into, text))
void test_strcpy(void) { in_strcpy(); }
BESIDE(strcpy_to, writes, strcpy(text, other))
void test_strcpy_to(void) { in_strcpy_to(); }
BESIDE(strncpy, writes, strncpy(text, other, 8))
void test_strncpy(void) { in_strncpy(); }
BESIDE(strcat, writes, strcat(text, "!"))
void test_strcat(void) { in_strcat(); }
BESIDE(strcmp, writes, result = strcmp(text, other))
void test_strcmp(void) { in_strcmp(); }
BESIDE(strncmp, writes, result = strncmp(text, other, 5))
void test_strncmp(void) { in_strncmp(); }
BESIDE(strchr, writes, result = strchr(text, 'r') != 0)
void test_strchr(void) { in_strchr(); }
BESIDE(strstr, writes, result = strstr(text, "ds") != 0)
void test_strstr(void) { in_strstr(); }
BESIDE(memcpy, writes, memcpy(into, text, 9))
void test_memcpy(void) { in_memcpy(); }
BESIDE(memmove, writes, memmove(text, text + 1, 5))
void test_memmove(void) { in_memmove(); }
BESIDE(memset, writes, memset(text, 0, 9))
void test_memset(void) { in_memset(); }
BESIDE(memcmp, writes, result = memcmp(text, other, 9))
void test_memcmp(void) { in_memcmp(); }
BESIDE(memchr, writes, result = memchr(text, 0, 64) != 0)
void test_memchr(void) { in_memchr(); }
BESIDE(strdup, writes, free(strdup(text)))
void test_strdup(void) { in_strdup(); }
BESIDE(sprintf_from, writes, sprintf(into, "%5d %.2f <%s>", 7, 0.5, text))
void test_sprintf_from(void) { in_sprintf_from(); }
BESIDE(snprintf_to, writes, snprintf(text, sizeof text, "%d %s", 12, "numbers"))
void test_snprintf_to(void) { in_snprintf_to(); }
BESIDE(vsnprintf, writes, print_list("%d %d %d %d %d %d %s %f", 1, 2, 3, 4, 5, 6, text, 1.5))
void test_vsnprintf(void) { in_vsnprintf(); }
BESIDE(printf, writes, printf("%.*s %s\n", 2, other, text))
void test_printf(void) { in_printf(); }
BESIDE(puts, writes, puts(text))
void test_puts(void) { in_puts(); }
BESIDE(fputs, writes, fputs(text, stderr))
void test_fputs(void) { in_fputs(); }
BESIDE(fwrite, writes, fwrite(text, 1, 9, stdout))
void test_fwrite(void) { in_fwrite(); }
BESIDE(write, writes, result = write(1, text, 9))
void test_write(void) { in_write(); }
BESIDE(sscanf_from, writes, int n; result = sscanf(text, "%d", &n))
void test_sscanf_from(void) { in_sscanf_from(); }
BESIDE(sscanf_to, sets, result = sscanf("5 6", "%d %d", &numbers[0], &numbers[1]))
void test_sscanf_to(void) { in_sscanf_to(); }
BESIDE(strtol, writes, result = strtol(text + 3, 0, 36))
void test_strtol(void) { in_strtol(); }
BESIDE(qsort, sets, qsort(numbers, 4, sizeof *numbers, by_value))
void test_qsort(void) { in_qsort(); }
BESIDE(rand_r, sets, result = rand_r(&seed))
void test_rand_r(void) { in_rand_r(); }

BESIDE(strsep, writes, char *rest = text; result = strsep(&rest, "d") != 0)
void test_strsep(void) { in_strsep(); }
BESIDE(strcoll, writes, result = strcoll(other, text))
void test_strcoll(void) { in_strcoll(); }
BESIDE(strxfrm, writes, result = strxfrm(into, text, sizeof into))
void test_strxfrm(void) { in_strxfrm(); }
BESIDE(strxfrm_to, writes, result = strxfrm(text, other, 6))
void test_strxfrm_to(void) { in_strxfrm_to(); }
BESIDE(memccpy, writes, memccpy(text, other, 'd', 20))
void test_memccpy(void) { in_memccpy(); }
BESIDE(memrchr, writes, result = memrchr(text, '1', 8) != 0)
void test_memrchr(void) { in_memrchr(); }
BESIDE(rawmemchr, writes, result = rawmemchr(text, 0) != 0)
void test_rawmemchr(void) { in_rawmemchr(); }
BESIDE(basename, writes, result = basename(text) != 0)
void test_basename(void) { in_basename(); }
BESIDE(wcslen, widens, result = wcslen(wide))
void test_wcslen(void) { in_wcslen(); }
BESIDE(wcscpy, widens, wcscpy(wide_into, wide))
void test_wcscpy(void) { in_wcscpy(); }
BESIDE(wcsncpy, widens, wcsncpy(wide, L"a", 2))
void test_wcsncpy(void) { in_wcsncpy(); }
BESIDE(wcscat, widens, wide_into[0] = 0; wcscat(wide_into, wide))
void test_wcscat(void) { in_wcscat(); }
BESIDE(wcsncat, widens, wide_into[0] = 0; wcsncat(wide_into, wide, 2))
void test_wcsncat(void) { in_wcsncat(); }
BESIDE(wcscmp, widens, result = wcscmp(wide, L"ab"))
void test_wcscmp(void) { in_wcscmp(); }
BESIDE(wcsncmp, widens, result = wcsncmp(wide, L"ab", 2))
void test_wcsncmp(void) { in_wcsncmp(); }
BESIDE(wcschr, widens, result = wcschr(wide, L'b') != 0)
void test_wcschr(void) { in_wcschr(); }
BESIDE(wmemchr, widens, result = wmemchr(wide, L'c', 3) != 0)
void test_wmemchr(void) { in_wmemchr(); }
BESIDE(wmemcmp, widens, result = wmemcmp(wide, L"ab", 2))
void test_wmemcmp(void) { in_wmemcmp(); }
BESIDE(wmemcpy, widens, wmemcpy(wide_into, wide, 2))
void test_wmemcpy(void) { in_wmemcpy(); }
BESIDE(wmemmove, widens, wmemmove(wide + 1, wide, 2))
void test_wmemmove(void) { in_wmemmove(); }
BESIDE(wmemset, widens, wmemset(wide, L'x', 2))
void test_wmemset(void) { in_wmemset(); }
BESIDE(mbstowcs, writes, result = mbstowcs(wide_into, text, 4))
void test_mbstowcs(void) { in_mbstowcs(); }
BESIDE(mbstowcs_to, widens, result = mbstowcs(wide, "xy", 8))
void test_mbstowcs_to(void) { in_mbstowcs_to(); }
BESIDE(wcstombs, widens, result = wcstombs(into, wide, 2))
void test_wcstombs(void) { in_wcstombs(); }
BESIDE(wcstombs_to, writes, result = wcstombs(text, L"wide", 8))
void test_wcstombs_to(void) { in_wcstombs_to(); }

/* What a function does not look at does not race. */
BESIDE(parts, writes, char *rest = text; result = strsep(&rest, "2") != 0)
void test_none_parts(void) { in_parts(); }
BESIDE(copied, writes, memccpy(into, text, '2', 20))
void test_none_copied(void) { in_copied(); }
BESIDE(behind, writes, result = memrchr(text, 'd', 8) != 0)
void test_none_behind(void) { in_behind(); }
BESIDE(turned, writes, result = mbstowcs(wide_into, text, 3))
void test_none_turned(void) { in_turned(); }
BESIDE(narrow, widens, result = wcstombs(into, wide, 1) + wcscmp(wide, L"b") + wmemcmp(wide, L"c", 2))
void test_none_narrow(void) { in_narrow(); }
BESIDE(before, writes, result = strncmp(text, other, 3) + strcmp(text, "2") + memcmp(text, "13", 9))
void test_none_before(void) { in_before(); }
BESIDE(precision, writes, snprintf(into, sizeof into, "%.3s", text))
void test_none_precision(void) { in_precision(); }
BESIDE(found, writes, result = strchr(text, '2') != 0)
void test_none_found(void) { in_found(); }
BESIDE(short, sets, result = sscanf("5 x", "%d %d", &numbers[0], &numbers[1]))
void test_none_short(void) { in_short(); }
BESIDE(number, writes, result = atoi(text))
void test_none_number(void) { in_number(); }

/* What they return and leave is what libc's own do. */
void test_values(void)
{
    char a[32], b[32], *rest = 0, word[8];
    int n = 0, m = 0;
    double d = 0;
    float f = 0;
    assert(snprintf(a, 4, "%s", "abcdef") == 6 && strcmp(a, "abc") == 0);
    assert(sprintf(a, "%d %s %c %5.2f %ld %Lf", 1, "two", '3', 4.0, 5L, 6.0L) > 0);
    assert(strcmp(a, "1 two 3  4.00 5 6.000000") == 0);
    assert(sscanf("7 word 2.5 1.5", "%d %7s %lf %f%n", &n, word, &d, &f, &m) == 4);
    assert(n == 7 && strcmp(word, "word") == 0 && d == 2.5 && f == 1.5f && m == 14);
    assert(strtol("0x1fz", &rest, 0) == 31 && *rest == 'z');
    assert(strtod("2.5e1,", &rest) == 25 && *rest == ',');
    strcpy(a, "x,y");
    assert(strcmp(strtok_r(a, ",", &rest), "x") == 0);
    assert(strcmp(strtok_r(0, ",", &rest), "y") == 0 && !strtok_r(0, ",", &rest));
    assert(stpcpy(b, "ab") == b + 2 && strcat(b, "cd") == b && strcmp(b, "abcd") == 0);
    assert(strncat(b, "efgh", 2) == b && strcmp(b, "abcdef") == 0);
    assert(strrchr(b, 'c') == b + 2 && strspn(b, "cba") == 3 && strcspn(b, "d") == 3);
    assert(strcasecmp("AbC", "aBc") == 0 && strncasecmp("AbCx", "aBcy", 3) == 0);
    strcpy(a, "x,y");
    rest = a;
    assert(strcmp(strsep(&rest, ","), "x") == 0 && strcmp(strsep(&rest, ","), "y") == 0 && !strsep(&rest, ","));
    assert(memccpy(b, "abcd", 'c', 9) == b + 3 && memrchr("abcabc", 'b', 6) != 0 && strxfrm(a, "ab", 9) == 2);
    wchar_t w[8];
    assert(wcslen(wcscat(wcscpy(w, L"ab"), L"c")) == 3 && wcscmp(w, L"abc") == 0 && wcschr(w, L'b') == w + 1);
    assert(mbstowcs(w, "xyz", 8) == 3 && wcstombs(b, w, 9) == 3 && strcmp(b, "xyz") == 0);
    int sorted[4] = {4, 3, 2, 1};
    qsort(sorted, 4, sizeof *sorted, by_value);
    assert(sorted[0] == 1 && sorted[3] == 4);
}
