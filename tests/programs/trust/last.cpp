// What is done at exit, in its order: handlers and destructors of static objects by their registration, the last first;
// then the functions with the attribute. Two threads, so that there are two executions.
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>

static int done = 0;
static void comes(int nth) { assert(++done == nth); }

struct First {
    ~First() { comes(3); }
} first;
struct Second {
    ~Second() { comes(2); }
} second;

__attribute__((destructor)) static void behind() { comes(4); }
static void handler() { comes(1); }

int main()
{
    std::mutex m;
    std::atexit(handler);
    std::thread t([&] { std::lock_guard<std::mutex> l(m); });
    {
        std::lock_guard<std::mutex> l(m);
    }
    t.join();
}
