// std::call_once, variables of functions: checked without the lock, then once more with it, which is no order for
// those who only check. Right: std::call_once and a static of a function.
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

struct Config {
    explicit Config(std::string name) : name(std::move(name)), limit(10) {}
    std::string name;
    int limit;
};

#ifdef RIGHT
static std::once_flag once;
static Config *config;

static Config &local()
{
    static Config made("local");
    return made;
}

static int limit()
{
    std::call_once(once, [] { config = new Config("once"); });
    return config->limit + local().limit;
}
#else
static std::mutex mutex;
static Config *config;

static int limit()
{
    if (config == nullptr) {
        std::lock_guard<std::mutex> guard(mutex);
        if (!config)
            config = new Config("checked");
    }
    return config->limit + 10;
}
#endif

int main()
{
    std::thread one([] { assert(limit() == 20); });
    std::thread other([] { assert(limit() == 20); });
    one.join();
    other.join();
    delete config;
}
