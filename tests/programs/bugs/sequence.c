/* A value of two words under a sequence number, which a writer makes odd while it writes: the reader does not
 * look whether it is odd, only whether it is the same before and after. */
#include "../counts/counts.h"
#include <assert.h>

static atomic_int number, words[2];

static void *work(void *id)
{
    if (id == NULL) {
        STORE(number, LOAD(number) + 1);
        STORE(words[0], 1);
        STORE(words[1], 1);
        STORE(number, LOAD(number) + 1);
        return NULL;
    }
    for (int tries = 0; tries < 2; tries++) {
        int before = LOAD(number), first = LOAD(words[0]), second = LOAD(words[1]);
        if (LOAD(number) == before) {
            assert(first == second);
            break;
        }
    }
    return NULL;
}

int main(void)
{
    run_all(2, work);
    return 0;
}
