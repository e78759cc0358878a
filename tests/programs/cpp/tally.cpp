// thread_local with a destructor: at its end each thread adds what it has counted to the sum, in two steps. Right:
// in one.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> sum{0};

struct Tally {
    int count = 0;

    ~Tally()
    {
#ifdef RIGHT
        sum += count;
#else
        int seen = sum;
        sum = seen + count;
#endif
    }
};

static thread_local Tally tally;

static void work()
{
    tally.count++;
    tally.count++;
}

int main()
{
    std::thread one(work), other(work);
    one.join();
    other.join();
    assert(sum == 4);
}
