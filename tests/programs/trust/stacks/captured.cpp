// right: futures, promises, locals captured by reference, shared with threads that are joined
#include <cassert>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>
static int work(int n) {
    std::vector<std::thread> all; std::mutex m; std::condition_variable c; int left = n, sum = 0; std::latch l(n);
    for (int i = 0; i < n; i++) all.emplace_back([&, i] { { std::lock_guard g(m); sum += i; if (!--left) c.notify_one(); } l.count_down(); });
    { std::unique_lock g(m); c.wait(g, [&] { return !left; }); }
    l.wait();
    for (auto &t : all) t.join();
    return sum;
}
int main() { assert(work(2) == 1); std::promise<int> p; auto f = p.get_future(); std::thread t([&p] { p.set_value(3); }); assert(f.get() == 3); t.join(); assert(work(1) == 0); }
