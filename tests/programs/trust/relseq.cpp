// The same as relseq.c: C++17 has the second store in the release sequence of the first, C++20 has not.
#include <atomic>
#include <thread>

int data, got;
std::atomic<int> f;

int main()
{
    std::thread x([] {
        data = 1;
        f.store(1, std::memory_order_release);
        f.store(2, std::memory_order_relaxed);
    });
    std::thread y([] {
        if (f.load(std::memory_order_acquire) == 2)
            got = data;
    });
    x.join();
    y.join();
}
