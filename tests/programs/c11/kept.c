/* What functions of libc keep from one call to the next, for all threads: two threads call the function, each with memory
   of its own. With -DGUARDED both hold a lock. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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

#define TWICE(name, call)                                                                          \
    static void *again_##name(void *unused)                                                        \
    {                                                                                              \
        enter();                                                                                   \
        call;                                                                                      \
        leave();                                                                                   \
        return unused;                                                                             \
    }                                                                                              \
    static void in_##name(void)                                                                       \
    {                                                                                              \
        pthread_t t;                                                                               \
        pthread_create(&t, 0, again_##name, 0);                                                    \
        again_##name(0);                                                                           \
        pthread_join(t, 0);                                                                        \
    }

TWICE(strtok, char words[] = "a b"; strtok(words, " "))
void test_strtok(void) { in_strtok(); }
TWICE(mblen, assert(mblen("x", 1) == 1))
void test_mblen(void) { in_mblen(); }
TWICE(mbtowc, wchar_t w; assert(mbtowc(&w, "x", 1) == 1 && w == L'x'))
void test_mbtowc(void) { in_mbtowc(); }
TWICE(wctomb, char c[16]; assert(wctomb(c, L'x') == 1 && c[0] == 'x'))
void test_wctomb(void) { in_wctomb(); }
TWICE(mbrlen, assert(mbrlen("x", 1, 0) == 1))
void test_mbrlen(void) { in_mbrlen(); }
TWICE(mbrtowc, wchar_t w; assert(mbrtowc(&w, "x", 1, 0) == 1 && w == L'x'))
void test_mbrtowc(void) { in_mbrtowc(); }
TWICE(wcrtomb, char c[16]; assert(wcrtomb(c, L'x', 0) == 1 && c[0] == 'x'))
void test_wcrtomb(void) { in_wcrtomb(); }
TWICE(mbsrtowcs, const char *s = "xy"; wchar_t w[4]; assert(mbsrtowcs(w, &s, 4, 0) == 2 && !s))
void test_mbsrtowcs(void) { in_mbsrtowcs(); }
TWICE(mbsnrtowcs, const char *s = "xy"; wchar_t w[4]; assert(mbsnrtowcs(w, &s, 1, 4, 0) == 1 && *s == 'y'))
void test_mbsnrtowcs(void) { in_mbsnrtowcs(); }
TWICE(wcsrtombs, const wchar_t *s = L"xy"; char c[4]; assert(wcsrtombs(c, &s, 4, 0) == 2 && !s))
void test_wcsrtombs(void) { in_wcsrtombs(); }
TWICE(wcsnrtombs, const wchar_t *s = L"xy"; char c[4]; assert(wcsnrtombs(c, &s, 1, 4, 0) == 1 && *s == L'y'))
void test_wcsnrtombs(void) { in_wcsnrtombs(); }
TWICE(localtime, time_t now = 86400; assert(localtime(&now)))
void test_localtime(void) { in_localtime(); }
TWICE(gmtime, time_t now = 86400; assert(gmtime(&now)->tm_mday == 2))
void test_gmtime(void) { in_gmtime(); }
TWICE(asctime, struct tm day = {.tm_mday = 2}; assert(strlen(asctime(&day)) > 20))
void test_asctime(void) { in_asctime(); }
TWICE(ctime, time_t now = 86400; assert(ctime(&now)))
void test_ctime(void) { in_ctime(); }

/* Who has none to share shares nothing. */
TWICE(none_strtok_r, char words[] = "a b"; char *rest; strtok_r(words, " ", &rest))
void test_none_strtok_r(void) { in_none_strtok_r(); }
TWICE(none_state, mbstate_t s = {0}; wchar_t w; assert(mbrtowc(&w, "x", 1, &s) == 1 && mbsinit(&s)))
void test_none_state(void) { in_none_state(); }
TWICE(none_strings, wchar_t w[4]; char c[4]; assert(mbstowcs(w, "xy", 4) == 2 && wcstombs(c, w, 4) == 2))
void test_none_strings(void) { in_none_strings(); }
TWICE(none_gmtime_r, time_t now = 86400; struct tm day; assert(gmtime_r(&now, &day)->tm_mday == 2))
void test_none_gmtime_r(void) { in_none_gmtime_r(); }
