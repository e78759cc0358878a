/* Functions of libc that nobody watches, and a program without any. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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
    char text[32];
    pthread_create(&t, 0, counts, 0);
    counts(0);
    snprintf(text, sizeof text, "%d", 7);
#ifdef UNWATCHED
    strfry(text);
    l64a(a64l(text));
#endif
#ifdef NUMBERED
    snprintf(text, sizeof text, "%2$s %1$d", 7, "seven");
#endif
    pthread_join(t, 0);
    return text[0] == 0;
}
