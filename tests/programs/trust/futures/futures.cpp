// Waits for futures, by the first argument; with a second one the program is wrong.
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <future>
#include <stdexcept>
#include <thread>

using namespace std::chrono_literals;

static bool wrong;
static int data;

// The data are written before the promise is kept, or behind that.
static void publishes() {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread keeps([&] {
        if (!wrong) data = 5;
        promise.set_value(2);
        if (wrong) data = 5;
    });
    assert(future.get() == 2);
    assert(wrong || data == 5);
    data = 6;
    keeps.join();
}

// Three threads wait for the same result. They read the data, or write to them.
static void shared() {
    std::promise<int> promise;
    std::shared_future<int> future = promise.get_future();
    auto waits = [future] { data = wrong ? future.get() : data + 0 * future.get(); };
    auto reads = [future] { assert(future.get() == 3 && data == 1); };
    std::thread first([&] { wrong ? waits() : reads(); }), second([&] { wrong ? waits() : reads(); });
    data = 1;
    promise.set_value(3);
    reads();
    first.join();
    second.join();
}

// Two threads keep the same promise: the second one is refused.
static void twice() {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::atomic<int> refused{0};
    auto keep = [&](int value) {
        try {
            promise.set_value(value);
        } catch (const std::future_error &) {
            refused++;
        }
    };
    std::thread first(keep, 1), second(keep, 2);
    int result = future.get();
    first.join();
    second.join();
    assert(refused == 1 && (result == 1 || result == 2));
    assert(!wrong || result == 1);
}

// The thread that was to keep the promise breaks it.
static void broken() {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread breaks([gone = std::move(promise)]() mutable { std::promise<int> here = std::move(gone); });
    bool told = false;
    try {
        future.get();
    } catch (const std::future_error &) {
        told = true;
    }
    assert(told);
    breaks.join();
}

// An exception comes through the future, and is caught or not.
static void throws() {
    auto future = std::async(std::launch::async, []() -> int { throw std::runtime_error("no result"); });
    try {
        future.get();
        assert(false);
    } catch (const std::runtime_error &) {
        if (wrong) throw;
    }
}

// The promise is kept whatever comes first, or only if a flag is seen.
static void never() {
    std::promise<void> promise;
    auto future = promise.get_future();
    std::atomic<bool> flag{false};
    std::thread keeps([&] {
        if (flag || !wrong) promise.set_value();
    });
    flag = true;
    future.get();
    keeps.join();
}

// Two threads wait for each other's result; one of them gives its own first.
static void crossed() {
    std::promise<int> left, right;
    auto from_left = left.get_future(), from_right = right.get_future();
    std::thread other([&] {
        if (!wrong) left.set_value(1);
        int got = from_right.get();
        if (wrong) left.set_value(got);
    });
    right.set_value(from_left.get());
    other.join();
}

// A wait with a time limit ends early, or does not.
static void timed() {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread keeps([&] { promise.set_value(1); });
    bool ready = future.wait_for(1ms) == std::future_status::ready;
    assert(future.get() == 1);
    assert(!wrong || ready);
    keeps.join();
}

// Waits with and without a time limit, for the same future.
static void mixed() {
    std::promise<int> promise;
    std::shared_future<int> future = promise.get_future();
    std::atomic<bool> late{false};
    std::thread limited([&, future] { late = future.wait_for(1ms) == std::future_status::timeout; });
    std::thread waits([future] { assert(future.get() == 1); });
    promise.set_value(1);
    limited.join();
    waits.join();
    assert(!wrong || !late);
}

// A loop that asks whether the result is there.
static void polls() {
    std::promise<void> promise;
    auto future = promise.get_future();
    std::thread keeps([&] {
        if (!wrong) data = 1;
        promise.set_value();
        if (wrong) data = 1;
    });
    while (future.wait_for(0s) != std::future_status::ready) std::this_thread::yield();
    assert(data == 1);
    keeps.join();
}

// The result is ready when the thread has ended.
static void at_exit() {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread keeps([&] {
        promise.set_value_at_thread_exit(7);
        data = 1;
    });
    if (!wrong) assert(future.get() == 7);
    assert(data == 1);
    keeps.join();
}

// A loop of waits that all come back at once.
static void loops() {
    std::promise<void> promise;
    std::shared_future<void> future = promise.get_future();
    std::atomic<bool> stop{false};
    std::thread stops([&] {
        promise.set_value();
        if (!wrong) stop = true;
    });
    while (!stop) future.wait();
    stops.join();
}

// Tasks that are run elsewhere, and which one is run first.
static void tasks() {
    std::atomic<int> turn{0};
    auto run = [&](int) { return turn++; };
    std::packaged_task<int(int)> first(run), second(run);
    auto one = first.get_future(), two = second.get_future();
    std::thread a(std::move(first), 1), b(std::move(second), 2);
    int won = one.get(), lost = two.get();
    a.join();
    b.join();
    assert(won + lost == 1 && (!wrong || won == 0));
}

int main(int argc, char **argv) {
    const struct {
        const char *name;
        void (*run)();
    } cases[] = {{"publishes", publishes}, {"shared", shared}, {"twice", twice}, {"broken", broken}, {"throws", throws},
                 {"never", never}, {"crossed", crossed}, {"timed", timed}, {"mixed", mixed}, {"polls", polls},
                 {"at_exit", at_exit}, {"loops", loops}, {"tasks", tasks}};
    wrong = argc > 2;
    for (auto &one : cases)
        if (argc > 1 && !strcmp(argv[1], one.name)) return one.run(), 0;
    puts("which case?");
    return 2;
}
