/* Two threads write to a file without the stream's lock, each holding it meanwhile: who came first stands first in it. With
   -DOTHER the other order fails. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *file;

static void put(char c)
{
    flockfile(file);
    putc_unlocked(c, file);
    funlockfile(file);
}

static void *puts_x(void *unused)
{
    put('x');
    return unused;
}

int main(void)
{
    pthread_t t;
    file = fopen("who_first.txt", "w+");
    assert(file);
    pthread_create(&t, 0, puts_x, 0);
    put('a');
    pthread_join(t, 0);
    rewind(file);
#ifdef OTHER
    assert(getc(file) == 'x');
#else
    assert(getc(file) == 'a');
#endif
    fclose(file);
    return 0;
}
