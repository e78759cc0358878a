/* szymanski R,B: two threads, R rounds of Szymanski's protocol; each wait is at most B tries, else
 * the thread returns. R=1, B=1..8: 103, 289, 703, 1507, 2911, 5173, 8599, 13543; (2,1) 1991;
 * (2,2) 22945; (2,3) 148903; (3,1) 27951 executions. */
#include "counts.h"

static atomic_int flag[2];
static atomic_int x;

/* Waits until the condition holds; when the tries are over, the thread returns. */
#define WAIT(condition)                                                                                \
    do {                                                                                               \
        int tries = 0;                                                                                 \
        while (!(condition))                                                                           \
            if (++tries == B)                                                                          \
                return NULL;                                                                           \
    } while (0)

static void *enter(void *argument)
{
    int id = (int)(intptr_t)argument;
    atomic_int *me = &flag[id], *o = &flag[1 - id];
    for (int round = 0; round < R; round++) {
        STORE(*me, 1);
        WAIT(LOAD(*o) < 3);
        STORE(*me, 3);
        if (LOAD(*o) == 1) {
            STORE(*me, 2);
            WAIT(LOAD(*o) == 4);
        }
        STORE(*me, 4);
        WAIT(LOAD(*o) < 2);
        STORE(x, id);
        int seen = LOAD(x);
        (void)seen;
        WAIT(LOAD(*o) < 2 || LOAD(*o) > 3);
        STORE(*me, 0);
    }
    return NULL;
}

int main(void)
{
    run_all(2, enter);
    return 0;
}
