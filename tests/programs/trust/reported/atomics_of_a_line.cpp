#include <atomic>
#include <cassert>
#include <thread>
#include <vector>
struct Two { std::atomic<int> a{0}, b{0}; bool both() { return a && b; } };
int main() {
    std::atomic<bool> go{false};
    std::vector<int> v;
    Two two;
    std::thread t([&] { two.a = 1; go = true; two.b = 1; });
    bool seen = go && v.empty();
    bool both = two.both();
    t.join();
    assert(!seen);
    assert(!both);
}
