#include "journal.h"

/* The next record, once there is one. NULL when the journal is closing and nothing is left. */
static struct record *next(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    struct record *record = ring_pop(&journal->ring);
    while (record == NULL && !journal->closing) {
        pthread_cond_wait(&journal->news, &journal->lock);
        record = ring_pop(&journal->ring);
    }
    pthread_mutex_unlock(&journal->lock);
    return record;
}

static void *write_records(void *argument)
{
    struct journal *journal = argument;
    struct record *record;
    char line[96];
    while ((record = next(journal)) != NULL) {
        size_t length = record_format(record, line, sizeof line);
        sink_write(&journal->sink, line, length);
        record_free(record);
    }
    return NULL;
}

int journal_open(struct journal *journal, enum level least)
{
    ring_init(&journal->ring);
    sink_init(&journal->sink);
    pthread_mutex_init(&journal->lock, NULL);
    pthread_cond_init(&journal->news, NULL);
    journal->closing = false;
    journal->least = least;
    atomic_init(&journal->dropped, 0);
    return pthread_create(&journal->writer, NULL, write_records, journal);
}

bool journal_log(struct journal *journal, enum level level, const char *source, const char *text)
{
    if (level < journal->least)
        return true;
    struct record *record = record_new(level, source, text);
    if (record == NULL || !ring_push(&journal->ring, record)) {
        record_free(record);
        atomic_fetch_add(&journal->dropped, 1);
        return false;
    }
    pthread_mutex_lock(&journal->lock);
    pthread_cond_signal(&journal->news);
    pthread_mutex_unlock(&journal->lock);
    return true;
}

size_t journal_close(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    journal->closing = true;
    pthread_cond_signal(&journal->news);
    pthread_mutex_unlock(&journal->lock);
    pthread_join(journal->writer, NULL);
    pthread_cond_destroy(&journal->news);
    pthread_mutex_destroy(&journal->lock);
    return journal->sink.lines;
}
