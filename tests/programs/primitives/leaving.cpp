/* A thread ends in the middle of functions of C++: what they leave is destroyed, innermost first, and given back.
 * KEEPS: a function keeps the end that it catches. FOR_EVER: the lock is held by something that has no destructor. */
#include <cassert>
#include <mutex>
#include <pthread.h>

static std::mutex lock;
static int order[4], ran;

struct Mark {
    int number;
    ~Mark() { order[ran++] = number; }
};

static void handler(void *number) { order[ran++] = *static_cast<int *>(number); }

static void inner(void *result)
{
    Mark mark{1};
#ifdef FOR_EVER
    lock.lock();
#else
    std::lock_guard<std::mutex> guard(lock);
#endif
    pthread_exit(result);
}

static void middle(void *result)
{
    static int two = 2;
    pthread_cleanup_push(handler, &two);
    inner(result);
    pthread_cleanup_pop(0);
}

static void *work(void *result)
{
    Mark mark{3};
    try {
        middle(result);
    } catch (...) {
        order[ran++] = 4;
#ifndef KEEPS
        throw;
#endif
    }
    return nullptr;
}

int main()
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, nullptr, work, &ran);
    {
        std::lock_guard<std::mutex> guard(lock);
    }
    pthread_join(thread, &result);
    /* The thread has given its lock back. */
    std::lock_guard<std::mutex> guard(lock);
    assert(result == &ran && ran == 4);
    assert(order[0] == 1 && order[1] == 2 && order[2] == 4 && order[3] == 3);
    return 0;
}
