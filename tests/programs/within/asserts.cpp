// What was read in a function is judged by the one that called it, and by what a thread runs.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex m;
static int a, b;

static int sum()
{
    std::lock_guard<std::mutex> held(m);
    return a + b;
}

static void move_one()
{
    {
        std::lock_guard<std::mutex> held(m);
        a--;
    }
    std::lock_guard<std::mutex> held(m);
    b++;
}

static void audit()
{
    int all = sum();
    assert(all == 0); // judged here
}

extern "C" void test_in_a_function(void)
{
    a = b = 0;
    std::thread mover(move_one);
    audit();
    mover.join();
}

extern "C" void test_in_a_lambda(void)
{
    a = b = 0;
    std::thread mover(move_one);
    std::thread auditor([] {
        int all = sum();
        assert(all == 0); // judges too
    });
    mover.join();
    auditor.join();
}
