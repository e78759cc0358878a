/* A pool of connections: a worker borrows one for a long transaction, a reaper closes those that
 * nobody has used for a while, and everybody counts what goes over the line.
 *
 * Wrong: `borrow` looks for a connection that is idle, lets go of the lock to see whether the other end
 * still answers, and then marks the connection as taken. When `reap` closes it between the two, the
 * worker works on a closed connection.
 * Right: pool_fixed.c (takes the connection first, and asks then).
 *
 * One switch between these two functions shows it, among the hundreds of places where the threads
 * can be switched: --focus-method borrow --focus-method reap. So does one at the state of the connections:
 * --focus-var pool. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { CONNECTIONS = 2, STATEMENTS = 60, BEATS = 60 };

enum state { IDLE, TAKEN, CLOSED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum state pool[CONNECTIONS];

static pthread_mutex_t line_lock = PTHREAD_MUTEX_INITIALIZER;
static int packets;
static atomic_int beats;

/* One packet goes to the other end and one comes back. */
static void talk(void)
{
    pthread_mutex_lock(&line_lock);
    packets += 2;
    pthread_mutex_unlock(&line_lock);
}

/* The first connection in this state; none is CONNECTIONS. */
static int find(enum state wanted)
{
    int found = 0;
    pthread_mutex_lock(&lock);
    while (found < CONNECTIONS && pool[found] != wanted)
        found++;
    pthread_mutex_unlock(&lock);
    return found;
}

static void mark(int connection, enum state state)
{
    pthread_mutex_lock(&lock);
    if (pool[connection] != CLOSED)
        pool[connection] = state;
    pthread_mutex_unlock(&lock);
}

static int is_open(int connection)
{
    pthread_mutex_lock(&lock);
    int open = pool[connection] != CLOSED;
    pthread_mutex_unlock(&lock);
    return open;
}

/* A connection for the caller alone, which answers. */
static int borrow(void)
{
    int connection = find(IDLE);
    if (connection < CONNECTIONS) {
        talk();
        mark(connection, TAKEN);
    }
    return connection;
}

/* Closes a connection that is idle. */
static void reap(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < CONNECTIONS; i++) {
        if (pool[i] == IDLE) {
            pool[i] = CLOSED;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused)
{
    int connection = borrow();
    if (connection == CONNECTIONS)
        return unused;
    assert(is_open(connection));
    for (int i = 0; i < STATEMENTS; i++) {
        talk();
        atomic_fetch_add(&beats, 1);
    }
    mark(connection, IDLE);
    return unused;
}

static void *reaper(void *unused)
{
    reap();
    for (int i = 0; i < BEATS; i++) {
        atomic_fetch_add(&beats, 1);
        talk();
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, worker, NULL);
    pthread_create(&threads[1], NULL, reaper, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
