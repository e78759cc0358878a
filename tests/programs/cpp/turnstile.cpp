// std::atomic::wait and notify (C++20): two visitors wait, and one notification wakes one of them. Right: all.
#include <atomic>
#include <thread>

static std::atomic<int> open{0};

static void visit() { open.wait(0); }

int main()
{
    std::thread one(visit), other(visit);
    open.store(1);
#ifdef RIGHT
    open.notify_all();
#else
    open.notify_one();
#endif
    one.join();
    other.join();
}
