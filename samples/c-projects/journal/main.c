/* Two parts of a program log at once. Nothing may be lost that was not dropped. */
#include "journal.h"

#include <assert.h>
#include <stdio.h>

static struct journal journal;

static void *serve(void *name)
{
    journal_log(&journal, LEVEL_DEBUG, name, "not of interest");
    journal_log(&journal, LEVEL_INFO, name, "has begun");
    return NULL;
}

int main(void)
{
    static char names[2][8] = {"front", "back"};
    pthread_t threads[2];

    int error = journal_open(&journal, LEVEL_INFO);
    assert(error == 0);
    for (size_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, serve, names[i]);
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    size_t lines = journal_close(&journal);
    size_t dropped = atomic_load(&journal.dropped);
    assert(lines + dropped == 2);
    sink_show(&journal.sink, stdout);
    return 0;
}
