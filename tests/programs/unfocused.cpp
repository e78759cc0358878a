// A function whose thread is a lambda, and one that is never called.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex m;
static int n;

static void add()
{
    std::lock_guard<std::mutex> guard(m);
    n++;
}

static void two()
{
    std::thread t([] {
        m.lock();
        n++;
        m.unlock();
    });
    m.lock();
    n++;
    m.unlock();
    t.join();
}

void never_called()
{
    add();
}

int main()
{
    two();
    assert(n == 2);
}
