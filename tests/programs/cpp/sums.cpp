// std::async, std::packaged_task: two tasks add to one sum. Right: each has its own, and the futures bring them.
#include <cassert>
#include <future>
#include <thread>
#include <utility>

int main()
{
#ifdef RIGHT
    std::future<int> low = std::async(std::launch::async, [] { return 1 + 2; });
    std::packaged_task<int(int)> task([](int n) { return n + 4; });
    std::future<int> high = task.get_future();
    std::thread thread(std::move(task), 3);
    int sum = low.get() + high.get();
    thread.join();
#else
    int sum = 0;
    std::future<void> low = std::async(std::launch::async, [&sum] { sum += 1 + 2; });
    std::packaged_task<void(int)> task([&sum](int n) { sum += n + 4; });
    std::future<void> high = task.get_future();
    std::thread thread(std::move(task), 3);
    low.get();
    high.get();
    thread.join();
#endif
    assert(sum == 10);
}
