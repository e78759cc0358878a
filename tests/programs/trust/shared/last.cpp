// The last owner knows what the others did before they went, and nothing of what they do behind that.
#include <memory>
#include <thread>
#include <cassert>
#include <atomic>
static int seen;
extern "C" {
// The count is seen to be 1 before the drop.
void test_right_seen() {
    auto a = std::make_shared<int>(1); auto b = a; seen = 0;
    std::thread t([b = std::move(b)]() mutable { seen = 2; b.reset(); });
    if (a.use_count() == 1) { a.reset(); assert(seen == 2); }
    t.join();
}
void test_wrong_seen() {
    auto a = std::make_shared<int>(1); auto b = a; seen = 0;
    std::thread t([b = std::move(b)]() mutable { b.reset(); seen = 2; });
    if (a.use_count() == 1) { a.reset(); assert(seen <= 2); }
    t.join();
}
void test_right_weak() {
    auto a = std::make_shared<int>(1); std::weak_ptr<int> w = a;
    std::thread t([w = std::move(w)]() mutable { if (auto a = w.lock()) assert(*a == 1); });
    a.reset();
    t.join();
}
void test_right_weak_new() {
    auto a = std::shared_ptr<int>(new int(1)); std::weak_ptr<int> w = a;
    std::thread t([w = std::move(w)]() mutable { if (auto a = w.lock()) assert(*a == 1); w.reset(); });
    a.reset();
    t.join();
}
// The thread's own weak reference goes last: what main did behind its own is not known.
void test_wrong_weak_behind() {
    seen = 0;
    auto a = std::make_shared<int>(1); std::weak_ptr<int> w = a;
    std::thread t([w = std::move(w)]() mutable { if (auto a = w.lock()) assert(*a == 1); w.reset(); seen = 1; });
    seen = 2;
    a.reset();
    t.join();
}
}
