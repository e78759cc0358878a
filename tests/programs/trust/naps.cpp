// As naps.c, in C++, where -O0 puts a function of the library between the program and libc. With NAP of them: 0 sleep_for,
// 1 yield, 2 wait_for, 3 try_lock_for.
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

std::atomic<int> a, b;
std::mutex m;
std::timed_mutex held;
std::condition_variable never;

static void nap() {
#if NAP == 0
    std::this_thread::sleep_for(1ms);
#elif NAP == 1
    std::this_thread::yield();
#elif NAP == 2
    std::unique_lock<std::mutex> lock(m);
    never.wait_for(lock, 1ms);
#else
    held.try_lock_for(1ms);
#endif
}

int main() {
    held.lock();
    std::thread t([] {
        nap();
        a = 1;
        nap();
        b = 1;
    });
    assert(!b);
    t.join();
}
