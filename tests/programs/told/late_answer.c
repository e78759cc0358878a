// Who asks waits for the answer for some time. Without -DKEEPS_ON it says that it has gone, which who answers does not expect;
// with it it looks for the answer all the same.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static int answer, gone;

static void *answers(void *unused)
{
    pthread_mutex_lock(&desk); // answers
    assert(!gone); // expects
    answer = 42;
    pthread_cond_signal(&bell);
    pthread_mutex_unlock(&desk);
    return unused;
}

int main(void)
{
    pthread_t t;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_create(&t, NULL, answers, NULL);
    pthread_mutex_lock(&desk);
#ifdef KEEPS_ON
    if (!answer)
        pthread_cond_timedwait(&bell, &desk, &until); // keeps asking
    assert(answer == 42); // finds
#else
    while (!answer)
        if (pthread_cond_timedwait(&bell, &desk, &until)) // asks
            break;
    gone = 1; // goes
#endif
    pthread_mutex_unlock(&desk);
    pthread_join(t, NULL);
    return 0;
}
