// The thread that drops the outer owner drops the inner one with it, which another could have done as well.
#include <atomic>
#include <memory>
#include <thread>
struct Inner { std::atomic<int> value{0}; };
struct Outer { std::shared_ptr<Inner> inner; };
std::atomic<int> go{0};
int main() {
    auto inner = std::make_shared<Inner>();
    auto outer = std::make_shared<Outer>(Outer{inner});
    auto theirs = outer;
    std::thread t([theirs = std::move(theirs)]() mutable {
        go.store(1);
        theirs->inner->value.load();
        theirs.reset();
    });
    go.load();
    outer.reset();
    inner.reset();
    t.join();
}
