/* An object on the stack of `owner`, used by another thread: every kind of use, and every way in which the frame goes. In
 * wrong tests nothing waits for the use, in right ones the owner does. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum use { READ, WRITE, MUTEX, CONDVAR, SEMAPHORE, ATOMIC, BARRIER, FUTEX, RWLOCK, ONCE, ALL };
enum way { RETURN, JUMP, END, EXIT };

struct object {
    int plain;
    uint32_t word;
    atomic_int atomic;
    pthread_mutex_t mutex;
    pthread_cond_t condvar;
    pthread_rwlock_t rwlock;
    pthread_once_t once;
    sem_t semaphore;
    pthread_barrier_t barrier;
};

static enum use wanted;
static enum way goes;
static int waits;
int sum;
static pthread_t user;
static jmp_buf behind;

static void nothing(void) {}

static void use(struct object *o, enum use what)
{
    switch (what) {
    case READ: sum = o->plain; break;
    case WRITE: o->plain = 2; break;
    case MUTEX: pthread_mutex_lock(&o->mutex); pthread_mutex_unlock(&o->mutex); break;
    case CONDVAR: pthread_cond_signal(&o->condvar); break;
    case SEMAPHORE: sem_post(&o->semaphore); break;
    case ATOMIC: atomic_fetch_add(&o->atomic, 1); break;
    case BARRIER: pthread_barrier_wait(&o->barrier); break;
    case FUTEX: syscall(SYS_futex, &o->word, FUTEX_WAIT, 7, 0, 0, 0); break;
    case RWLOCK: pthread_rwlock_rdlock(&o->rwlock); pthread_rwlock_unlock(&o->rwlock); break;
    case ONCE: pthread_once(&o->once, nothing); break;
    case ALL: for (int i = 0; i < ALL; i++) use(o, i); break;
    }
}

static void *uses(void *o)
{
    use(o, wanted);
    return 0;
}

__attribute__((noinline)) static void *owner(void *argument)
{
    struct object o = {1, 0, 0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER, PTHREAD_ONCE_INIT};
    sem_init(&o.semaphore, 0, 0);
    pthread_barrier_init(&o.barrier, 0, 1);
    pthread_create(&user, 0, uses, &o);
    if (waits) pthread_join(user, 0);
    if (goes == JUMP) longjmp(behind, 1); /* jumps */
    if (goes == EXIT) pthread_exit(0);
    return argument; /* returns */
}

/* What has the place afterwards. */
__attribute__((noinline)) static int other(int n)
{
    char room[2000];
    memset(room, n, sizeof room);
    return room[n];
}

static void run(enum way way, enum use what, int right)
{
    wanted = what;
    goes = way;
    waits = right;
    if (way == RETURN) {
        owner(0);
    } else if (way == JUMP) {
        if (!setjmp(behind)) owner(0);
    } else {
        pthread_t thread;
        pthread_create(&thread, 0, owner, 0);
        pthread_join(thread, 0);
    }
    sum += other(1);
    if (!right) pthread_join(user, 0);
}

void test_return_read(void) { run(RETURN, READ, 0); }
void test_return_write(void) { run(RETURN, WRITE, 0); }
void test_return_mutex(void) { run(RETURN, MUTEX, 0); }
void test_return_condvar(void) { run(RETURN, CONDVAR, 0); }
void test_return_semaphore(void) { run(RETURN, SEMAPHORE, 0); }
void test_return_atomic(void) { run(RETURN, ATOMIC, 0); }
void test_return_barrier(void) { run(RETURN, BARRIER, 0); }
void test_return_futex(void) { run(RETURN, FUTEX, 0); }
void test_return_rwlock(void) { run(RETURN, RWLOCK, 0); }
void test_return_once(void) { run(RETURN, ONCE, 0); }
void test_return_right(void) { run(RETURN, ALL, 1); run(RETURN, ALL, 1); }
void test_jump_read(void) { run(JUMP, READ, 0); }
void test_jump_write(void) { run(JUMP, WRITE, 0); }
void test_jump_mutex(void) { run(JUMP, MUTEX, 0); }
void test_jump_condvar(void) { run(JUMP, CONDVAR, 0); }
void test_jump_semaphore(void) { run(JUMP, SEMAPHORE, 0); }
void test_jump_atomic(void) { run(JUMP, ATOMIC, 0); }
void test_jump_barrier(void) { run(JUMP, BARRIER, 0); }
void test_jump_futex(void) { run(JUMP, FUTEX, 0); }
void test_jump_rwlock(void) { run(JUMP, RWLOCK, 0); }
void test_jump_once(void) { run(JUMP, ONCE, 0); }
void test_jump_right(void) { run(JUMP, ALL, 1); run(JUMP, ALL, 1); }
void test_end_read(void) { run(END, READ, 0); }
void test_end_write(void) { run(END, WRITE, 0); }
void test_end_mutex(void) { run(END, MUTEX, 0); }
void test_end_condvar(void) { run(END, CONDVAR, 0); }
void test_end_semaphore(void) { run(END, SEMAPHORE, 0); }
void test_end_atomic(void) { run(END, ATOMIC, 0); }
void test_end_barrier(void) { run(END, BARRIER, 0); }
void test_end_futex(void) { run(END, FUTEX, 0); }
void test_end_rwlock(void) { run(END, RWLOCK, 0); }
void test_end_once(void) { run(END, ONCE, 0); }
void test_end_right(void) { run(END, ALL, 1); run(END, ALL, 1); }
void test_exit_read(void) { run(EXIT, READ, 0); }
void test_exit_write(void) { run(EXIT, WRITE, 0); }
void test_exit_mutex(void) { run(EXIT, MUTEX, 0); }
void test_exit_condvar(void) { run(EXIT, CONDVAR, 0); }
void test_exit_semaphore(void) { run(EXIT, SEMAPHORE, 0); }
void test_exit_atomic(void) { run(EXIT, ATOMIC, 0); }
void test_exit_barrier(void) { run(EXIT, BARRIER, 0); }
void test_exit_futex(void) { run(EXIT, FUTEX, 0); }
void test_exit_rwlock(void) { run(EXIT, RWLOCK, 0); }
void test_exit_once(void) { run(EXIT, ONCE, 0); }
void test_exit_right(void) { run(EXIT, ALL, 1); run(EXIT, ALL, 1); }
