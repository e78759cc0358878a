// std::atomic<std::shared_ptr> (C++20): readers take the configuration that there is, and a writer puts another one there.
// Wrong: a shared_ptr is no atomic, though its counts are. Right: std::atomic of it.
#include <atomic>
#include <cassert>
#include <memory>
#include <string>
#include <thread>

using Text = std::shared_ptr<const std::string>;

#ifdef RIGHT
static std::atomic<Text> current;
static Text take() { return current.load(); }
static void put(Text next) { current.store(std::move(next)); }
#else
static Text current;
static Text take() { return current; }
static void put(Text next) { current = std::move(next); }
#endif

static int known;

int main()
{
    put(std::make_shared<const std::string>("first"));
    std::thread reader([] {
        if (*take() == "second")
            assert(known == 1);
    });
    known = 1;
    put(std::make_shared<const std::string>("second"));
    reader.join();
}
