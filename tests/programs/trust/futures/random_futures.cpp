// A word for each thread, of operations on two futures, and two numbers: a remainder of all that was seen, and which one fails.
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdlib>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

static std::promise<int> promises[2];
static std::shared_future<int> futures[2];
static std::atomic<int> counter;
static std::mutex mutex;
static int guarded, bare;

static bool is_ready(int which, int limit) {
    return futures[which].wait_for(std::chrono::milliseconds(limit)) == std::future_status::ready;
}

static int keep(int which, int value) {
    try {
        promises[which].set_value(value);
        return 1;
    } catch (const std::future_error &) {
        return 2;
    }
}

static int does(char operation, int me) {
    switch (operation) {
    case 'a':
    case 'b': return keep(operation - 'a', me);
    case 'A':
    case 'B': return futures[operation - 'A'].get();
    case 'p':
    case 'q': return is_ready(operation - 'p', 0);
    case 't': return is_ready(0, 1);
    case 'x': return counter++;
    case 'm': {
        std::lock_guard<std::mutex> lock(mutex);
        return guarded += me;
    }
    case 'w': return bare = me;
    default: return bare;
    }
}

int main(int argc, char **argv) {
    int words = argc - 3, kinds = atoi(argv[argc - 2]), fails = atoi(argv[argc - 1]);
    for (int i = 0; i < 2; i++) futures[i] = promises[i].get_future().share();
    std::vector<int> seen(words);
    std::vector<std::thread> threads;
    for (int i = 0; i < words; i++)
        threads.emplace_back([&, i] {
            for (const char *next = argv[1 + i]; *next; next++) seen[i] = seen[i] * 3 + does(*next, i + 1);
        });
    for (auto &thread : threads) thread.join();
    int all = guarded;
    for (int one : seen) all = all * 5 + one;
    assert(all % kinds != fails);
}
