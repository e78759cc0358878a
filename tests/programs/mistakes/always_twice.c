/* Who takes the box gives its block back, and so does main at the end: twice in every order, and three times in some. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *box;
static int sums[2];
static atomic_int full;

static void *take(void *sum)
{
    if (atomic_load(&full)) {
        int *taken = box;
        atomic_store(&full, 0);
        *(int *)sum += *taken;
        free(taken);
    }
    return NULL;
}

int main(void)
{
    pthread_t other;
    box = malloc(sizeof *box);
    *box = 1;
    atomic_store(&full, 1);
    pthread_create(&other, NULL, take, &sums[1]);
    take(&sums[0]);
    pthread_join(other, NULL);
    free(box);
    return 0;
}
