/* filesystem N: N threads allocate a block each for an inode of their own; 32 inodes and 26 blocks
 * with one mutex each. From 14 threads on blocks are asked for twice: 2^(N-13) executions. */
#include "counts.h"

enum { INODES = 32, BLOCKS = 26 };

static pthread_mutex_t inode_lock[INODES] = {[0 ... INODES - 1] = PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t block_lock[BLOCKS] = {[0 ... BLOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};
static int inode[INODES];
static int busy[BLOCKS];

static void *allocate(void *id)
{
    int i = (int)(intptr_t)id;
    pthread_mutex_lock(&inode_lock[i]);
    if (inode[i] == 0) {
        int b = 2 * i % BLOCKS;
        for (;;) {
            pthread_mutex_lock(&block_lock[b]);
            if (!busy[b]) {
                busy[b] = 1;
                inode[i] = b + 1;
                pthread_mutex_unlock(&block_lock[b]);
                break;
            }
            pthread_mutex_unlock(&block_lock[b]);
            b = (b + 1) % BLOCKS;
        }
    }
    pthread_mutex_unlock(&inode_lock[i]);
    return NULL;
}

int main(void)
{
    run_all(N, allocate);
    return 0;
}
