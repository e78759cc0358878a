/* Two permits for three workers, which take both one after the other where they need two: two of them with
 * one each wait for ever. */
#include "../counts/counts.h"
#include <assert.h>
#include <semaphore.h>

static sem_t permits;

static void *work(void *id)
{
    int needed = id == NULL ? 1 : 2;
    for (int i = 0; i < needed; i++)
        sem_wait(&permits);
    for (int i = 0; i < needed; i++)
        sem_post(&permits);
    return NULL;
}

int main(void)
{
    sem_init(&permits, 0, 2);
    run_all(3, work);
    return 0;
}
