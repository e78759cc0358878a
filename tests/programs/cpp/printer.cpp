// std::counting_semaphore (C++20): two are let in where one thing at a time can be printed. Right: one is.
#include <atomic>
#include <cassert>
#include <semaphore>
#include <thread>

#ifdef RIGHT
static std::counting_semaphore<2> slots(1);
#else
static std::counting_semaphore<2> slots(2);
#endif
static std::atomic<int> printing{0};

static void print()
{
    slots.acquire();
    int others = printing.fetch_add(1);
    assert(others == 0);
    printing.fetch_sub(1);
    slots.release();
}

int main()
{
    std::thread one(print), other(print);
    one.join();
    other.join();
}
