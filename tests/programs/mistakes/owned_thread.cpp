// An object owns a thread that works with its members. MEMBER, BASE, WORKER, FUTURE: they are destroyed before the thread is joined;
// EARLY, BODY: they are made after it was started. LAST is right, and so is JOINED.
#include <future>
#include <memory>
#include <thread>
#include <vector>

struct Joined {
    std::thread thread;
    template <class F> explicit Joined(F f) : thread(f) {}
    ~Joined() { thread.join(); }
};

#if defined(MEMBER)
struct Log {
    std::unique_ptr<Joined> writer;
    std::unique_ptr<int> last;
    Log() : last(new int(0)) {
        writer.reset(new Joined([this] { *last = 1; })); // member uses
    }
    ~Log() {} // member ends
};
#elif defined(BASE)
struct Runs {
    std::unique_ptr<Joined> thread;
};
struct Log : Runs { // base ends
    std::vector<int> lines;
    Log() : lines(1) {
        thread.reset(new Joined([this] { lines[0] = 1; })); // base uses
    }
};
#elif defined(WORKER)
struct Buffer {
    int *bytes = new int(0);
    ~Buffer() {
        delete bytes;
        bytes = nullptr;
    }
};
struct Log {
    std::unique_ptr<Joined> writer;
    Buffer buffer;
    Log() {
        writer.reset(new Joined([this] { *buffer.bytes = 1; })); // worker uses
    }
    ~Log() {} // worker ends
};
#elif defined(FUTURE)
struct Log {
    std::future<void> flushed;
    std::unique_ptr<int> last;
    Log() : last(new int(0)) {
        flushed = std::async(std::launch::async, [this] { *last = 1; }); // future uses
    }
    ~Log() {} // future ends
};
#elif defined(EARLY)
struct Log {
    Joined writer;
    std::vector<int> lines;
    Log()
        : writer([this] { write(); }),
          lines(1) {} // early makes
    void write() {
        if (!lines.empty()) lines[0] = 1; // early uses
    }
};
#elif defined(BODY)
struct Log {
    int limit = 0;
    Joined writer;
    Log() : writer([this] { write(); }) {
        limit = 10; // body makes
    }
    int left = 0;
    void write() { left = limit; } // body uses
};
#elif defined(LAST)
struct Log {
    std::vector<int> lines;
    Joined writer;
    Log() : lines(1), writer([this] { lines[0] = 1; }) {}
};
#else
struct Log {
    std::unique_ptr<Joined> writer;
    std::unique_ptr<int> last;
    Log() : last(new int(0)) { writer.reset(new Joined([this] { *last = 1; })); }
    ~Log() { writer.reset(); }
};
#endif

int main() {
    Log log;
    return 0;
}
