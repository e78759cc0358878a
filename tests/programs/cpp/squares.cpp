// std::latch (C++20): a worker counts down before its result is written. Right: afterwards.
#include <cassert>
#include <latch>
#include <thread>

static std::latch done(2);
static int results[2];

static void square(int n)
{
#ifdef RIGHT
    results[n] = (n + 2) * (n + 2);
    done.count_down();
#else
    done.count_down();
    results[n] = (n + 2) * (n + 2);
#endif
}

int main()
{
    std::thread one(square, 0), other(square, 1);
    done.wait();
    assert(results[0] == 4);
    assert(results[1] == 9);
    one.join();
    other.join();
}
