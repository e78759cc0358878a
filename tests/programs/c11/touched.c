/* Memory that functions of libc touch: each test has one thread that writes a buffer and one that hands it to the
   function. With -DGUARDED both hold a lock. */
#define _GNU_SOURCE
#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
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

BESIDE(strtok, writes, result = strtok(text, "d") != 0)
void test_strtok(void) { in_strtok(); }
BESIDE(strcasestr, writes, result = strcasestr(text, "DS") != 0)
void test_strcasestr(void) { in_strcasestr(); }
BESIDE(memmem, writes, result = memmem(text, 9, "ds", 2) != 0)
void test_memmem(void) { in_memmem(); }
BESIDE(strverscmp, writes, result = strverscmp(text, "12 x"))
void test_strverscmp(void) { in_strverscmp(); }
BESIDE(memfrob, writes, memfrob(text, 5))
void test_memfrob(void) { in_memfrob(); }
BESIDE(explicit_bzero, writes, explicit_bzero(text, 5))
void test_explicit_bzero(void) { in_explicit_bzero(); }
BESIDE(strtold, writes, result = strtold(text + 3, 0))
void test_strtold(void) { in_strtold(); }
BESIDE(strtoimax, writes, result = strtoimax(text + 3, 0, 36))
void test_strtoimax(void) { in_strtoimax(); }
BESIDE(strtoumax, writes, result = strtoumax(text + 3, 0, 36))
void test_strtoumax(void) { in_strtoumax(); }
BESIDE(strerror_r, writes, result = strerror_r(12345, text, sizeof text) != 0)
void test_strerror_r(void) { in_strerror_r(); }
static char *options[] = {"a", "12 words", 0};
BESIDE(getsubopt, writes, char *rest = text; char *value; result = getsubopt(&rest, options, &value))
void test_getsubopt(void) { in_getsubopt(); }
BESIDE(getsubopt_to, writes, text[3] = ','; char *rest = text; char *value; getsubopt(&rest, options, &value))
void test_getsubopt_to(void) { in_getsubopt_to(); }
static struct tm day;
static void *dates(void *unused)
{
    enter();
    day.tm_mday = 3;
    leave();
    return unused;
}
BESIDE(strptime, writes, struct tm to = {0}; result = strptime(text, "%d words", &to) != 0)
void test_strptime(void) { in_strptime(); }
BESIDE(strptime_to, dates, result = strptime("3", "%d", &day) != 0)
void test_strptime_to(void) { in_strptime_to(); }
BESIDE(asctime, dates, result = asctime(&day) != 0)
void test_asctime(void) { in_asctime(); }
static size_t many = 2;
static void *counts(void *unused)
{
    enter();
    many = 1;
    leave();
    return unused;
}
static int sought = 9;
BESIDE(lfind, counts, result = lfind(&sought, numbers, &many, sizeof *numbers, by_value) != 0)
void test_lfind(void) { in_lfind(); }
BESIDE(lsearch, counts, result = lsearch(&sought, numbers, &many, sizeof *numbers, by_value) != 0)
void test_lsearch(void) { in_lsearch(); }
static size_t one = 1;
BESIDE(lsearch_to, sets, lsearch(&sought, numbers, &one, sizeof *numbers, by_value))
void test_lsearch_to(void) { in_lsearch_to(); }
static struct element { struct element *next, *last; } head, new;
static void *links(void *unused)
{
    enter();
    head.next = 0;
    leave();
    return unused;
}
BESIDE(insque, links, insque(&new, &head))
void test_insque(void) { in_insque(); }
BESIDE(remque, links, new.last = &head; remque(&new))
void test_remque(void) { in_remque(); }

BESIDE(wcsdup, widens, free(wcsdup(wide)))
void test_wcsdup(void) { in_wcsdup(); }
BESIDE(wcsrchr, widens, result = wcsrchr(wide, L'a') != 0)
void test_wcsrchr(void) { in_wcsrchr(); }
BESIDE(wcsnlen, widens, result = wcsnlen(wide, 2))
void test_wcsnlen(void) { in_wcsnlen(); }
BESIDE(wcpcpy, widens, wcpcpy(wide_into, wide))
void test_wcpcpy(void) { in_wcpcpy(); }
BESIDE(wcpncpy, widens, wcpncpy(wide, L"a", 2))
void test_wcpncpy(void) { in_wcpncpy(); }
BESIDE(wcscasecmp, widens, result = wcscasecmp(wide, L"AX"))
void test_wcscasecmp(void) { in_wcscasecmp(); }
BESIDE(wcsncasecmp, widens, result = wcsncasecmp(wide, L"AX", 2))
void test_wcsncasecmp(void) { in_wcsncasecmp(); }
BESIDE(wcscoll, widens, result = wcscoll(wide, L"ab"))
void test_wcscoll(void) { in_wcscoll(); }
BESIDE(wcsxfrm, widens, result = wcsxfrm(wide_into, wide, 16))
void test_wcsxfrm(void) { in_wcsxfrm(); }
BESIDE(wcsxfrm_to, widens, result = wcsxfrm(wide, L"xyz", 16))
void test_wcsxfrm_to(void) { in_wcsxfrm_to(); }
BESIDE(wcschrnul, widens, result = wcschrnul(wide, L'c') != 0)
void test_wcschrnul(void) { in_wcschrnul(); }
BESIDE(wcsstr, widens, result = wcsstr(wide, L"bc") != 0)
void test_wcsstr(void) { in_wcsstr(); }
BESIDE(wcsspn, widens, result = wcsspn(wide, L"a"))
void test_wcsspn(void) { in_wcsspn(); }
BESIDE(wcscspn, widens, result = wcscspn(wide, L"c"))
void test_wcscspn(void) { in_wcscspn(); }
BESIDE(wcspbrk, widens, result = wcspbrk(wide, L"c") != 0)
void test_wcspbrk(void) { in_wcspbrk(); }
BESIDE(wcstok, widens, wchar_t *rest; result = wcstok(wide, L"c", &rest) != 0)
void test_wcstok(void) { in_wcstok(); }
BESIDE(wmempcpy, widens, wmempcpy(wide_into, wide, 2))
void test_wmempcpy(void) { in_wmempcpy(); }
BESIDE(wcswidth, widens, result = wcswidth(wide, 3))
void test_wcswidth(void) { in_wcswidth(); }
BESIDE(wcstol, widens, result = wcstol(wide, 0, 16))
void test_wcstol(void) { in_wcstol(); }
BESIDE(wcstod, widens, result = wcstod(wide + 1, 0))
void test_wcstod(void) { in_wcstod(); }
BESIDE(wcsftime, widens, struct tm of = {0}; result = wcsftime(wide, 16, L"%H", &of))
void test_wcsftime(void) { in_wcsftime(); }

static mbstate_t shared;
static void *resets(void *unused)
{
    enter();
    memset(&shared, 0, sizeof shared);
    leave();
    return unused;
}
static mbstate_t *fresh(void)
{
    static __thread mbstate_t own;
    return &own;
}
BESIDE(mbrtowc, writes, wchar_t w; result = mbrtowc(&w, text + 3, 1, fresh()))
void test_mbrtowc(void) { in_mbrtowc(); }
BESIDE(mbrtowc_to, widens, result = mbrtowc(wide + 1, "x", 1, fresh()))
void test_mbrtowc_to(void) { in_mbrtowc_to(); }
BESIDE(mbrtowc_state, resets, wchar_t w; result = mbrtowc(&w, "x", 1, &shared))
void test_mbrtowc_state(void) { in_mbrtowc_state(); }
BESIDE(mbrlen, writes, result = mbrlen(text + 3, 1, fresh()))
void test_mbrlen(void) { in_mbrlen(); }
BESIDE(wcrtomb, writes, result = wcrtomb(text + 3, L'x', fresh()))
void test_wcrtomb(void) { in_wcrtomb(); }
BESIDE(wcrtomb_state, resets, char c[16]; result = wcrtomb(c, L'x', &shared))
void test_wcrtomb_state(void) { in_wcrtomb_state(); }
BESIDE(mbsinit, resets, result = mbsinit(&shared))
void test_mbsinit(void) { in_mbsinit(); }
BESIDE(mbsrtowcs, writes, const char *s = text; result = mbsrtowcs(wide_into, &s, 4, fresh()))
void test_mbsrtowcs(void) { in_mbsrtowcs(); }
BESIDE(mbsrtowcs_to, widens, const char *s = "xy"; result = mbsrtowcs(wide, &s, 4, fresh()))
void test_mbsrtowcs_to(void) { in_mbsrtowcs_to(); }
BESIDE(mbsnrtowcs, writes, const char *s = text; result = mbsnrtowcs(wide_into, &s, 4, 8, fresh()))
void test_mbsnrtowcs(void) { in_mbsnrtowcs(); }
BESIDE(wcsrtombs, widens, const wchar_t *s = wide; result = wcsrtombs(into, &s, 2, fresh()))
void test_wcsrtombs(void) { in_wcsrtombs(); }
BESIDE(wcsrtombs_to, writes, const wchar_t *s = L"wide"; result = wcsrtombs(text, &s, 4, fresh()))
void test_wcsrtombs_to(void) { in_wcsrtombs_to(); }
BESIDE(wcsnrtombs, widens, const wchar_t *s = wide; result = wcsnrtombs(into, &s, 2, 8, fresh()))
void test_wcsnrtombs(void) { in_wcsnrtombs(); }
BESIDE(mblen, writes, result = mblen(text + 3, 1))
void test_mblen(void) { in_mblen(); }
BESIDE(mbtowc, writes, wchar_t w; result = mbtowc(&w, text + 3, 1))
void test_mbtowc(void) { in_mbtowc(); }
BESIDE(wctomb, writes, result = wctomb(text + 3, L'x'))
void test_wctomb(void) { in_wctomb(); }

/* What a function does not look at does not race. */
BESIDE(token, writes, result = strtok(text, "2") != 0)
void test_none_token(void) { in_token(); }
BESIDE(suboption, writes, char *rest = text + 4; char *value; result = getsubopt(&rest, options, &value))
void test_none_suboption(void) { in_suboption(); }
BESIDE(message, writes, result = strerror_r(2, text, sizeof text) != 0)
void test_none_message(void) { in_message(); }
static int year;
static void *years(void *unused)
{
    year = ++numbers[3];
    return unused;
}
BESIDE(listed, years, size_t n = 3; int key = 3; lsearch(&key, numbers, &n, sizeof *numbers, by_value))
void test_none_listed(void) { in_listed(); }
BESIDE(counted, writes, const char *s = text; result = mbsnrtowcs(wide_into, &s, 3, 8, fresh()))
void test_none_counted(void) { in_counted(); }
BESIDE(roomless, writes, const wchar_t *s = L"wide"; result = wcsrtombs(text, &s, 3, fresh()))
void test_none_roomless(void) { in_roomless(); }
BESIDE(folded, widens, result = wcscasecmp(wide, L"B") + wcsspn(wide, L"b") + wcsnlen(wide, 1))
void test_none_folded(void) { in_folded(); }
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
    strcpy(a, "x,,y");
    assert(strcmp(strtok(a, ","), "x") == 0 && strcmp(strtok(0, ","), "y") == 0 && !strtok(0, ",") && !strtok(0, ","));
    assert(mbtowc(w, "\xc3", 1) == -1 || MB_CUR_MAX == 1);
    assert(mbtowc(0, 0, 0) == 0 && mbtowc(w, "q", 1) == 1 && *w == L'q' && mblen("", 1) == 0 && mblen(0, 0) == 0);
    assert(wctomb(0, 0) == 0 && wctomb(b, L'r') == 1 && b[0] == 'r' && mbrtowc(w, "", 1, 0) == 0 && *w == 0);
    struct tm when = {.tm_hour = 7};
    assert(*strptime("5/4 x", "%d/%m", &when) == ' ' && when.tm_mday == 5 && when.tm_mon == 3 && when.tm_hour == 7);
    char *named = strcpy(b, "a=1,zz"), *worth;
    assert(getsubopt(&named, options, &worth) == 0 && strcmp(worth, "1") == 0 && strcmp(named, "zz") == 0);
    assert(strcmp(strerror_r(2, b, sizeof b), strerror(2)) == 0 && strtold("2.5", 0) == 2.5L);
    wchar_t *wrest, parts[] = L"a b";
    assert(wcscmp(wcstok(parts, L" ", &wrest), L"a") == 0 && wcscmp(wrest, L"b") == 0 && wcstol(L"12", 0, 10) == 12);
    int sorted[4] = {4, 3, 2, 1};
    qsort(sorted, 4, sizeof *sorted, by_value);
    assert(sorted[0] == 1 && sorted[3] == 4);
}
