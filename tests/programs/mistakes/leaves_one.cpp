// Waits in C++ that nobody ends, and threads that nobody waits for: one mistake each.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

static std::mutex m;
static std::condition_variable changed;

#ifdef FLAG
static bool ready;

static void waits()
{
    std::unique_lock<std::mutex> lock(m);
    changed.wait(lock, [] { return ready; });
}

int main()
{
    std::thread one(waits), other(waits);
    {
        std::lock_guard<std::mutex> guard(m);
        ready = true;
    }
    changed.notify_one(); // gives one
    one.join();
    other.join();
}
#endif

#ifdef CACHE
static std::map<int, std::string> values;
static std::set<int> loading;

static std::string get(int key)
{
    std::unique_lock<std::mutex> lock(m);
    for (;;) {
        auto found = values.find(key);
        if (found != values.end())
            return found->second;
        if (!loading.count(key))
            break;
        changed.wait(lock);
    }
    loading.insert(key);
    lock.unlock();
    std::string value = "value";
    lock.lock();
    loading.erase(key);
    values[key] = value;
    changed.notify_one();
    return value;
}

int main()
{
    std::thread one([] { get(1); }), two([] { get(1); }), three([] { get(1); });
    one.join();
    two.join();
    three.join();
}
#endif

#ifdef PIPE
static std::condition_variable not_full, not_empty;
static std::deque<char> bytes;
static bool closed;

static void write(char byte)
{
    std::unique_lock<std::mutex> lock(m);
    not_full.wait(lock, [] { return closed || bytes.empty(); });
    bytes.push_back(byte);
    not_empty.notify_one();
}

static bool read()
{
    std::unique_lock<std::mutex> lock(m);
    not_empty.wait(lock, [] { return closed || !bytes.empty(); }); // looks
    if (bytes.empty())
        return false;
    bytes.pop_front();
    not_full.notify_one();
    return true;
}

static void close()
{
    std::lock_guard<std::mutex> guard(m);
    closed = true; // closes
    not_full.notify_all();
}

int main()
{
    std::thread reader([] {
        while (read()) {
        }
    });
    write('a');
    close();
    reader.join();
}
#endif

#ifdef TOTAL
static std::atomic<int> total;

static void add(int n)
{
    total += n; // adds
}

int main()
{
    std::thread one(add, 1), two(add, 2);
    one.join();
    int sum = total; // sums
    two.join(); // later
    assert(sum == 3);
}
#endif

#ifdef UNJOINED
struct Upload {
    std::atomic<bool> sent{false};
    std::thread sender{[this] { sent = true; }};

    ~Upload()
    {
        if (!sent)
            sender.join();
    }
};

int main()
{
    Upload upload;
}
#endif
