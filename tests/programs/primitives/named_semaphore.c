/* Two threads meet at a semaphore that they open by its name. EXCLUSIVE: whoever creates it posts, the other waits; it keeps its
 * name. ALONE: one thread, and what each call answers. NAMED: another name.
 * WRONG 1: the one that does not create it may come first; 2: its name is taken away before the other one opens it; 3: it is
 * used when it was closed. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef WRONG
#define WRONG 0
#endif
#ifdef NAMED
#define QUOTED(name) #name
#define TEXT(name) QUOTED(name)
#define NAME "/" TEXT(NAMED)
#else
#define NAME "/raddle-turn"
#endif

int count;

#if defined EXCLUSIVE
static void *turn(void *unused)
{
    sem_t *own = sem_open(NAME, O_CREAT | O_EXCL, 0600, 0);
    if (own != SEM_FAILED) {
        count = 1;
        sem_post(own);
    } else {
        assert(errno == EEXIST);
        own = sem_open(NAME, 0);
        assert(own != SEM_FAILED);
        sem_wait(own);
        assert(count == 1);
    }
    assert(sem_close(own) == 0);
    return unused;
}
#define other turn
#elif WRONG == 1 || WRONG == 2
static void *turn(void *unused)
{
    sem_t *own = sem_open(NAME, WRONG == 2 ? O_CREAT : 0, 0600, 0);
    assert(own != SEM_FAILED);
    sem_wait(own);
    return unused;
}

static void *other(void *unused)
{
    sem_t *own = sem_open(NAME, O_CREAT, 0600, 0);
    sem_post(own);
    if (WRONG == 2)
        sem_unlink(NAME);
    return unused;
}
#else
static void *turn(void *unused)
{
    sem_t *own = sem_open(NAME, O_CREAT, 0600, 1);
    sem_wait(own);
    count++;
#if WRONG == 3
    sem_close(own);
    sem_post(own);
#else
    sem_post(own);
    assert(sem_close(own) == 0);
#endif
    return unused;
}
#define other turn
#endif

#ifdef ALONE
int main(void)
{
    int value;
    assert(sem_open(NAME, 0) == SEM_FAILED && errno == ENOENT);
    assert(sem_open("/a/b", O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
    assert(sem_open(NAME, O_CREAT, 0600, (unsigned)SEM_VALUE_MAX + 1) == SEM_FAILED && errno == EINVAL);
    sem_t *one = sem_open(NAME, O_CREAT, 0600, 2), *same = sem_open(NAME, O_CREAT, 0600, 7);
    assert(one != SEM_FAILED && one == same);
    assert(sem_getvalue(same, &value) == 0 && value == 2);
    assert(sem_open(NAME, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
    sem_wait(one);
    assert(sem_close(one) == 0 && sem_trywait(same) == 0 && sem_close(same) == 0);
    /* Closed, it keeps its count; unlinked, another one has the name. */
    one = sem_open(NAME, 0);
    assert(sem_trywait(one) == -1 && errno == EAGAIN);
    assert(sem_unlink(NAME) == 0 && sem_unlink(NAME) == -1 && errno == ENOENT);
    same = sem_open(NAME, O_CREAT | O_EXCL, 0600, 3);
    assert(same != one && sem_getvalue(same, &value) == 0 && value == 3);
    assert(sem_post(one) == 0 && sem_wait(one) == 0 && sem_close(one) == 0 && sem_close(same) == 0);
    assert(sem_unlink(NAME) == 0);
    sem_t own;
    assert(sem_init(&own, 0, 0) == 0 && sem_close(&own) == -1 && errno == EINVAL);
    return 0;
}
#else
int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, turn, NULL);
    pthread_create(&second, NULL, other, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
#if WRONG == 0 && !defined EXCLUSIVE
    assert(count == 2);
    assert(sem_unlink(NAME) == 0);
#endif
    return 0;
}
#endif
