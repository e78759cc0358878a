/* A table of jobs: workers take up jobs and finish them, a user cancels one, and everybody writes a
 * log and counts what they do.
 *
 * Right: `cancel` and `finish` look at the state of a job and set it in one go, and write the log
 * afterwards, so that each job ends once. (hot_pair.c: it may end twice.) */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { JOBS = 12, BEATS = 70 };

enum state { RUNNING, FINISHED, CANCELLED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum state state[JOBS];
static int running = JOBS;

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;
static atomic_int beats;

static void log_line(void)
{
    pthread_mutex_lock(&log_lock);
    lines++;
    pthread_mutex_unlock(&log_lock);
}

/* Ends a job that is running; was it? */
static int end(int job, enum state how)
{
    pthread_mutex_lock(&lock);
    int was_running = state[job] == RUNNING;
    if (was_running) {
        state[job] = how;
        running--;
    }
    pthread_mutex_unlock(&lock);
    return was_running;
}

static void finish(int job)
{
    if (end(job, FINISHED))
        log_line();
}

static void cancel(int job)
{
    if (end(job, CANCELLED))
        log_line();
}

/* What threads do while they have no job. */
static void beat(void)
{
    for (int i = 0; i < BEATS; i++) {
        atomic_fetch_add(&beats, 1);
        log_line();
    }
}

static void *worker(void *unused)
{
    (void)unused;
    finish(0);
    beat();
    return NULL;
}

static void *user(void *unused)
{
    (void)unused;
    cancel(0);
    beat();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, worker, NULL);
    pthread_create(&threads[1], NULL, user, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(running == JOBS - 1);
    return 0;
}
