/* Things with every kind of name, and a failure in every execution, so that all of them are told.
 * What stands behind `//=` is what an event of that line must say: operation, object, method, and
 * the text at its column. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct account { long number; pthread_mutex_t lock; int balance; };
struct job { int (*op)(int, int); int a, b; };
struct queue { pthread_mutex_t lock; pthread_cond_t filled; int items[4]; int n; struct job job; };

static struct account accounts[3];
static struct { char pad[24]; atomic_int hits[2][3]; } state;
int total;

static int add(int a, int b) { return a + b; }

static void hold(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock); //= lock, queue->lock, hold, pthread_mutex_lock
}

static void *worker(void *arg)
{
    struct queue *q = arg;
    static int calls;
    pthread_mutex_lock(&accounts[2].lock); //= lock, accounts[2].lock, worker, pthread_mutex_lock
    accounts[2].balance++; total++; calls++; //= write, accounts[2].balance, worker, ++
    pthread_mutex_unlock(&accounts[2].lock); //= unlock, accounts[2].lock, worker, pthread_mutex_unlock
    /* é */ if (1) { atomic_fetch_add(&state.hits[1][2], 1); } //= rmw, state.hits[1][2], worker, atomic_fetch_add
    hold(&q->lock);
    (*q).n = 3; //= write, queue->n, worker, =
    int first = q->items[(calls + 1) % 2]; //= read, q->items[0], worker, first
    total += first + q->job.op(q->job.a, q->job.b); //= read, *q #1, worker, q->job.op(
    pthread_cond_signal(&q->filled); //= notify one, queue->filled, worker, pthread_cond_signal
    pthread_mutex_unlock(&q->lock); //= unlock, queue->lock, worker, pthread_mutex_unlock
    return NULL;
}

int main(void)
{
    struct queue *queue = calloc(1, sizeof *queue);
    queue->job = (struct job){ add, 1, 2 };
    pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    for (int i = 0; i < 3; i++) pthread_mutex_init(&accounts[i].lock, NULL);
    pthread_create(&thread, NULL, worker, queue); //= spawn, T1, main, pthread_create
    pthread_mutex_lock(&local); //= lock, local, main, pthread_mutex_lock
    pthread_mutex_unlock(&local); //= unlock, local, main, pthread_mutex_unlock
    pthread_mutex_lock(&queue->lock); //= lock, queue->lock, main, pthread_mutex_lock
    while (!queue->n) pthread_cond_wait(&queue->filled, &queue->lock);
    pthread_mutex_unlock(&queue->lock); //= unlock, queue->lock, main, pthread_mutex_unlock
    pthread_join(thread, NULL); //= join, T1, main, pthread_join
    free(queue);
    assert(0 && "the end");
}
