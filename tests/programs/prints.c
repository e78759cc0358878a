/* Prints about 20 KiB in every execution, from both threads, to both streams. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *name)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        for (int line = 0; line < 25; line++)
            printf("%s %d: the quick brown fox jumps over the lazy dog, and again, and again %d\n",
                   (char *)name, i, line);
        fprintf(stderr, "%s %d\n", (char *)name, i);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, worker, "one");
    pthread_create(&other, NULL, worker, "other");
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    puts("done");
    return 0;
}
