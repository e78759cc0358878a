/* A table of jobs: workers take up jobs and finish them, a user cancels one, and everybody writes a
 * log and counts what they do.
 *
 * Wrong: `cancel` and `finish` look at the state of a job, let go of the lock to write the log, and
 * then set the state. A job that is cancelled between the two steps of `finish` ends twice.
 * Right: hot_pair_fixed.c (looks and sets in one go, and writes the log afterwards).
 *
 * One switch between these two functions shows it, among the hundreds of places where the threads
 * can be switched: --focus-method cancel --focus-method finish. */
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

static enum state look(int job)
{
    pthread_mutex_lock(&lock);
    enum state now = state[job];
    pthread_mutex_unlock(&lock);
    return now;
}

static void end(int job, enum state how)
{
    pthread_mutex_lock(&lock);
    state[job] = how;
    running--;
    pthread_mutex_unlock(&lock);
}

static void finish(int job)
{
    if (look(job) != RUNNING)
        return;
    log_line();
    end(job, FINISHED);
}

static void cancel(int job)
{
    if (look(job) != RUNNING)
        return;
    log_line();
    end(job, CANCELLED);
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
