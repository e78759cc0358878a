/* Paths that are taken apart where they are (libgen.h): one thread writes a path, and one hands it to the function. */
#include <assert.h>
#include <libgen.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char path[16] = "ab/cd/";
static int at;

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
    path[at] = 'W';
    leave();
    return unused;
}

static void *looks(void *unused)
{
    enter();
    int is_there = path[at] == 'W';
    leave();
    return is_there ? &at : unused;
}

#define BESIDE(name, place, other_thread, call)                                                    \
    static void in_##name(void)                                                                       \
    {                                                                                              \
        pthread_t t;                                                                               \
        at = place;                                                                                \
        pthread_create(&t, 0, other_thread, 0);                                                    \
        enter();                                                                                   \
        call;                                                                                      \
        leave();                                                                                   \
        pthread_join(t, 0);                                                                        \
    }

BESIDE(dirname, 1, writes, dirname(path))
void test_dirname(void) { in_dirname(); }
BESIDE(dirname_ends, 2, looks, dirname(path))
void test_dirname_ends(void) { in_dirname_ends(); }
BESIDE(basename, 1, writes, basename(path))
void test_basename(void) { in_basename(); }
BESIDE(basename_ends, 5, looks, basename(path))
void test_basename_ends(void) { in_basename_ends(); }
/* What is behind the end they do not write, and nothing before it. */
BESIDE(none_dirname, 1, looks, dirname(path))
void test_none_dirname(void) { in_none_dirname(); }
BESIDE(none_basename, 2, looks, basename(path))
void test_none_basename(void) { in_none_basename(); }
BESIDE(none_behind, 8, writes, basename(path); dirname(path))
void test_none_behind(void) { in_none_behind(); }

/* Wherever they end a path, that is where they are said to: nothing else is changed. */
void test_values(void)
{
    static const char *const paths[] = {"", "/", "//", "///", "a", "a/", "/a", "//a", "a//b", "a/b//", "/a/", "//a//"};
    static const char *const folders[] = {".", "/", "//", "/", ".", ".", "/", "//", "a", "a", "/", "//"};
    static const char *const names[] = {".", "/", "/", "/", "a", "a", "a", "a", "b", "b", "a", "a"};
    for (int i = 0; i < 12; i++) {
        char copy[8];
        assert(strcmp(dirname(strcpy(copy, paths[i])), folders[i]) == 0);
        assert(strcmp(basename(strcpy(copy, paths[i])), names[i]) == 0);
    }
}
