// std::timed_mutex: who has waited in vain unlocks all the same. Right: only who has the lock does.
#include <atomic>
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

static std::timed_mutex mutex;
static std::atomic<int> entries{0};

static void enter()
{
    using namespace std::chrono_literals;
#ifdef RIGHT
    if (!mutex.try_lock_for(10ms))
        return;
#else
    mutex.try_lock_for(10ms);
#endif
    entries++;
    mutex.unlock();
}

int main()
{
    std::thread one(enter), other(enter);
    one.join();
    other.join();
    assert(entries >= 1);
}
