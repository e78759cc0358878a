/* Takes its process along in one interleaving only: where `check` is preempted between its two
 * loads. The system calls are made by hand, past every function that could be watched. HOW says
 * which. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/syscall.h>

#ifndef HOW
#define HOW 0
#endif

static atomic_int state;

static long call(long number, long a, long b, long c, long d)
{
    long result;
    register long fourth __asm__("r10") = d;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}

static void die(void)
{
#if HOW == 0
    call(SYS_exit_group, 7, 0, 0, 0);
#elif HOW == 1
    call(SYS_kill, call(SYS_getpid, 0, 0, 0, 0), SIGKILL, 0, 0);
#elif HOW == 2
    /* Deaf, it can only be killed. */
    uint64_t all = ~0ul;
    call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, 0, sizeof all);
    for (;;)
        __asm__ volatile("");
#endif
}

static void *change(void *unused)
{
    (void)unused;
    atomic_fetch_add(&state, 1);
    return NULL;
}

static void *check(void *unused)
{
    (void)unused;
    int before = atomic_load(&state);
    if (before != atomic_load(&state))
        die();
    return NULL;
}

int main(void)
{
    pthread_t a, b;
#if HOW == 3
    call(SYS_exit_group, 7, 0, 0, 0);
#endif
    pthread_create(&a, NULL, check, NULL);
    pthread_create(&b, NULL, change, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
