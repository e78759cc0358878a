// Each thread is given the address of the loop's variable.
#include <pthread.h>

static int seen[3];

static void *mark(void *arg) {
    seen[*(int *)arg]++;
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, mark, &i); // gives
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
