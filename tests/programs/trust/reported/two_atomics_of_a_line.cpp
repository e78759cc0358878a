#include <atomic>
#include <cassert>
#include <thread>
int main() {
    std::atomic<int> done{0}, total{0};
    auto work = [&] {
        done = total + 1;
        total = int(done);
    };
    std::thread x(work), y(work);
    x.join();
    y.join();
    assert(total == 2);
}
