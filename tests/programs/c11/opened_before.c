/* Streams and descriptors that constructors open, and standard streams that a program closes or has begin anew: each execution
   finds them as the first one does. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static int descriptor = -1, count;

#ifdef FILES
__attribute__((constructor)) static void opens(void) { file = fopen("in", "r"); }
#endif
#ifdef DESCRIPTORS
__attribute__((constructor)) static void opens(void) { descriptor = open("in", O_RDONLY); }
#endif

static void *counts(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t t;
    char text[2] = "";
    pthread_create(&t, 0, counts, 0);
    counts(0);
    pthread_join(t, 0);
    if (file)
        assert(fgets(text, 2, file) && text[0] == '1');
    if (descriptor >= 0)
        assert(read(descriptor, text, 1) == 1 && text[0] == '1');
#ifdef CLOSES
    if (file)
        assert(fclose(file) == 0);
    assert(printf("printed\n") > 0 && fclose(stdout) == 0);
    assert(fprintf(stderr, "said\n") > 0 && fclose(stderr) == 0);
#endif
#ifdef AGAIN
    assert(printf("printed\n") > 0 && freopen("/dev/null", "r", stdout) == stdout);
    assert(printf("printed\n") < 0);
#endif
}
