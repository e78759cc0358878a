// Does what its arguments say, with two objects whose owners are threads: first what the end of an object does, then a word for each
// thread, and what is asked for at the end.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

std::atomic<unsigned> ends{0};
std::atomic<bool> flag{false};
std::mutex mutex;
thread_local unsigned self;
unsigned plain, seen[4];
char at_the_end;

struct Object {
    int value = 1;
    std::shared_ptr<Object> inner;
    ~Object() {
        if (at_the_end == 'a') ends = ends * 4 + self;
        if (at_the_end == 't') seen[self] = seen[self] * 7 + 5;
        if (at_the_end == 'm') std::lock_guard<std::mutex> lock(mutex);
        if (at_the_end == 'p') plain = self;
    }
};
// Nothing is entered at its end.
struct Plain {
    int value = 1;
    std::shared_ptr<Plain> inner;
};

template <class T> void run(const char *words, unsigned me, std::shared_ptr<T> a, std::shared_ptr<T> b, std::weak_ptr<T> w) {
    self = me;
    std::vector<std::shared_ptr<T>> more;
    std::vector<std::weak_ptr<T>> weak;
    auto note = [me](unsigned n) { seen[me] = seen[me] * 5 + n; };
    for (; *words; words++) switch (*words) {
        case 'c': more.push_back(a); break;
        case 'C': more.push_back(b); break;
        case 'd': a.reset(); break;
        case 'D': b.reset(); break;
        case 'x': more.clear(); break;
        case 'w': weak.push_back(a); break;
        case 'W': weak.push_back(w); break;
        case 'v': weak.clear(); w.reset(); break;
        case 'l': note(w.lock() ? 1 : 2); break;
        case 'e': note(w.expired() ? 1 : 2); break;
        case 'u': note(a.use_count() % 4); break;
        case 'U': note(b.use_count() % 4); break;
        case 's': flag = true; break;
        case 'f': note(flag ? 1 : 2); break;
        case 'k': { std::lock_guard<std::mutex> lock(mutex); a.reset(); } break;
        case 'K': { std::lock_guard<std::mutex> lock(mutex); b.reset(); } break;
        case 'r': if (a) note(a->value); break;
        case 'p': plain = 9; break;
        }
}

template <class T> void all(int argc, char **argv) {
    auto a = std::make_shared<T>();
    std::shared_ptr<T> b(new T);
    if (argv[1][1] == 'i') a->inner = b;
    std::weak_ptr<T> w = argv[1][2] == 'a' ? a : b;
    int threads = argc - 4;
    std::vector<std::thread> started;
    for (int i = 1; i < threads; i++) started.emplace_back(run<T>, argv[2 + i], i, a, b, w);
    run<T>(argv[2], 0, std::move(a), std::move(b), std::move(w));
    for (auto &thread : started) thread.join();
}

int main(int argc, char **argv) {
    at_the_end = argv[1][0];
    if (at_the_end == 'n') all<Plain>(argc, argv);
    else all<Object>(argc, argv);
    unsigned sum = ends;
    for (unsigned n : seen) sum = sum * 31 + n;
    assert(sum % std::atoi(argv[argc - 2]) != unsigned(std::atoi(argv[argc - 1])));
}
