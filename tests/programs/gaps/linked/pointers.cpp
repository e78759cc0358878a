// Two threads with a `shared_ptr`, which is atomic or under a lock.
#include <memory>
#include <mutex>
#include <thread>

#ifdef pointer_locks
static std::atomic<std::shared_ptr<int>> shared{std::make_shared<int>(0)};
static void put(std::shared_ptr<int> value) { shared.store(value); }
#else
static std::mutex lock;
static std::shared_ptr<int> shared{std::make_shared<int>(0)};
static void put(std::shared_ptr<int> value) {
    std::lock_guard<std::mutex> guard(lock);
    shared = value;
}
#endif

int main() {
    std::thread other([] { put(nullptr); });
    put(nullptr);
    other.join();
}
