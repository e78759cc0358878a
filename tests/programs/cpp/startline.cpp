// std::latch, std::counting_semaphore (C++20): main goes on when both workers are ready. Wrong: a worker says that it is ready
// before it is. Right: afterwards.
#include <atomic>
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>

static std::latch ready(2);
static std::counting_semaphore<2> go(0);
static std::atomic<int> left, right;

static void prepare(std::atomic<int> &part)
{
#ifdef RIGHT
    part = 1;
    ready.count_down();
#else
    ready.count_down();
    part = 1;
#endif
    go.acquire();
}

int main()
{
    std::thread one([] { prepare(left); }), other([] {
        right = 1;
        ready.arrive_and_wait();
        assert(right == 1);
    });
    ready.wait();
    assert(left == 1 && right == 1);
    go.release();
    one.join();
    other.join();
}
