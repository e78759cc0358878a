// What threads can tell of the owners of a shared_ptr: a case by its name, wrong with a second argument and right without.
#include <atomic>
#include <cassert>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

static bool wrong;

struct Data : std::enable_shared_from_this<Data> {
    int value = 1;
    std::shared_ptr<int> inner;
};

// Nobody can tell who is last.
static void copies() {
    auto data = std::make_shared<Data>();
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([data] {
            auto again = data;
            std::shared_ptr<int> part(again, &again->value);
            std::weak_ptr<Data> weak = again;
            assert(*part == 1);
        });
    data.reset();
    for (auto &thread : threads) thread.join();
}

// The last owner goes beside a lock.
static void lock() {
    auto data = std::make_shared<Data>();
    std::weak_ptr<Data> weak = data;
    std::thread thread([weak] {
        auto locked = weak.lock();
        assert(locked ? locked->value == 1 : !wrong);
    });
    data.reset();
    thread.join();
}

// "I have it alone" behind a flag, which is set before the other owner goes if that is wrong.
static void use_count() {
    std::shared_ptr<Data> data(new Data);
    std::atomic<bool> done{false};
    auto other = data;
    std::thread thread([&] {
        if (!wrong) other.reset();
        done = true;
        if (wrong) other.reset();
    });
    if (done) assert(data.use_count() == 1);
    thread.join();
}

// The last drop takes a lock that its thread may have.
static std::mutex registry;
struct Entry {
    ~Entry() { std::lock_guard<std::mutex> lock(registry); }
};
static void drop_under_lock() {
    auto entry = std::make_shared<Entry>();
    auto other = entry;
    std::thread thread([&] { other.reset(); });
    if (wrong) registry.lock();
    entry.reset();
    if (wrong) registry.unlock();
    thread.join();
}

// The destructor tells which thread runs it.
static std::atomic<bool> by_main{false};
static std::thread::id main_thread;
struct Loud {
    ~Loud() { by_main = std::this_thread::get_id() == main_thread; }
};
static void last() {
    main_thread = std::this_thread::get_id();
    auto loud = std::make_shared<Loud>();
    auto other = loud;
    std::thread thread([&] { other.reset(); });
    if (!wrong) thread.join();
    loud.reset();
    if (wrong) thread.join();
    assert(by_main);
}

// The order of the destructors of two objects.
struct Numbered {
    static std::vector<int> gone;
    static std::mutex mutex;
    int number;
    ~Numbered() {
        std::lock_guard<std::mutex> lock(mutex);
        gone.push_back(number);
    }
};
std::vector<int> Numbered::gone;
std::mutex Numbered::mutex;
static void order() {
    auto first = std::shared_ptr<Numbered>(new Numbered{1}), second = std::shared_ptr<Numbered>(new Numbered{2});
    auto other = first;
    std::thread thread([&] { other.reset(); });
    if (!wrong) thread.join();
    first.reset();
    second.reset();
    if (wrong) thread.join();
    assert(Numbered::gone.front() == 1);
}

// A deleter leaves it in plain memory.
static thread_local int self;
static void deleter() {
    int drops[2] = {};
    self = 1;
    std::shared_ptr<int> data(new int(1), [&](int *p) { drops[self]++, delete p; });
    auto other = data;
    std::thread thread([&] { other.reset(); });
    if (!wrong) thread.join();
    data.reset();
    if (wrong) thread.join();
    assert(drops[1] == 1);
}

// A deleter of the library's code alone, which writes to memory that stays.
static void logged() {
    static int value;
    std::vector<int> log;
    auto add = static_cast<void (std::vector<int>::*)(const int &)>(&std::vector<int>::push_back);
    std::shared_ptr<int> data(&value, std::bind(add, &log, 7));
    auto other = data;
    std::thread thread([&] {
        other.reset();
        if (wrong) assert(log.size() < 2);
    });
    data.reset();
    thread.join();
    assert(log.size() == 1);
}

// An owner inside of what is owned: its number says whether the outer one has gone.
static void nested() {
    auto outer = std::make_shared<Data>();
    outer->inner = std::make_shared<int>(1);
    auto inner = outer->inner;
    auto other = outer;
    std::thread thread([&] { other.reset(); });
    outer.reset();
    if (!wrong) thread.join();
    assert(inner.use_count() == 1);
    if (wrong) thread.join();
}

// A cache of weak references gives out what is about to go.
static void from_this() {
    std::mutex mutex;
    std::map<int, std::weak_ptr<Data>> cache;
    auto data = std::make_shared<Data>();
    cache[1] = data->shared_from_this();
    std::thread thread([&] {
        std::unique_lock<std::mutex> guard(mutex);
        auto found = cache[1].lock();
        guard.unlock();
        assert(found ? found->shared_from_this() == found : !wrong);
    });
    data.reset();
    thread.join();
}

// The last weak reference gives the block back, and who that is nobody can tell.
static void weak() {
    auto data = std::make_shared<Data>();
    std::weak_ptr<Data> mine = data, theirs = data;
    data.reset();
    std::thread thread([&] { theirs.reset(); });
    mine.reset();
    thread.join();
}

// A decrement orders what its thread did before it with the drop and with nothing else. (The order of the decrements that is run
// first has main's before the thread's, which is the last.)
static int seen;
static void race() {
    auto data = std::make_shared<Data>();
    auto other = data;
    std::thread thread([&] {
        other.reset();
        if (wrong) seen = 2;
    });
    seen = 1;
    data.reset();
    thread.join();
    assert(seen);
}

// What owners did before they went is seen in the drop.
struct Sum {
    int parts[2] = {};
    ~Sum() { assert(parts[0] + parts[1] == 3); }
};
static void dropped() {
    auto sum = std::make_shared<Sum>();
    auto other = sum;
    auto raw = sum.get();
    std::thread thread([&] {
        other->parts[0] = 1;
        other.reset();
    });
    if (!wrong) raw->parts[1] = 2;
    sum.reset();
    if (wrong) raw->parts[1] = 2;
    thread.join();
}

// A weak reference keeps the block, and who learns that one owner has gone writes to what the last one reads in its drop.
struct Box {
    std::unique_ptr<int> inner;
};
static void kept() {
    auto box = std::make_shared<Box>();
    std::weak_ptr<Box> weak = box;
    Box *raw = box.get();
    auto other = box;
    std::atomic<bool> gone{false};
    std::thread goes([&] {
        other.reset();
        gone = true;
    });
    std::thread writes([&] {
        if (gone && wrong) raw->inner.release();
    });
    box.reset();
    goes.join();
    writes.join();
}

// What the last drop waits for is known behind it, whoever drops.
struct Worker {
    std::thread thread;
    ~Worker() { thread.join(); }
};
static void joined() {
    static int result;
    auto worker = std::make_shared<Worker>();
    worker->thread = std::thread([] { result = 7; });
    std::atomic<bool> gone{false};
    std::thread thread([other = worker, &gone]() mutable {
        other.reset();
        gone = true;
    });
    while (!gone) std::this_thread::yield();
    worker.reset();
    assert(result == 7);
    thread.join();
}

// Waits until it has something alone.
static void spins() {
    auto data = std::make_shared<Data>();
    auto other = data;
    std::thread thread([&] { other.reset(); });
    while (data.use_count() > 1) std::this_thread::yield();
    thread.join();
}

#if __cplusplus >= 202002L
// A load is an owner.
static void atomic() {
    std::atomic<std::shared_ptr<Data>> shared{std::make_shared<Data>()};
    std::thread thread([&] { shared.store(nullptr); });
    auto data = shared.load();
    assert(data ? data->value == 1 : !wrong);
    thread.join();
}
#endif

int main(int argc, char **argv) {
    struct {
        const char *name;
        void (*run)();
    } all[] = {
        {"copies", copies}, {"lock", lock}, {"use_count", use_count}, {"drop_under_lock", drop_under_lock},
        {"last", last}, {"order", order}, {"deleter", deleter}, {"logged", logged}, {"nested", nested},
        {"from_this", from_this}, {"weak", weak}, {"race", race}, {"dropped", dropped}, {"spins", spins},
        {"kept", kept}, {"joined", joined},
#if __cplusplus >= 202002L
        {"atomic", atomic},
#endif
    };
    wrong = argc > 2;
    for (auto &one : all)
        if (strcmp(one.name, argv[1]) == 0) one.run();
}
