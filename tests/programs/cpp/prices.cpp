// Exceptions: one thread asks for a price that another one may not have set yet, and nobody catches what is thrown
// then. Right: it is caught in the thread.
#include <cassert>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex mutex;
static std::map<std::string, int> prices;

struct NoPrice : std::runtime_error {
    explicit NoPrice(const std::string &what) : std::runtime_error("no price for " + what) {}
};

static void set(const std::string &what, int price)
{
    std::lock_guard<std::mutex> guard(mutex);
    prices[what] = price;
}

static int price(const std::string &what)
{
    std::lock_guard<std::mutex> guard(mutex);
    auto found = prices.find(what);
    if (found == prices.end())
        throw NoPrice(what);
    return found->second;
}

static void buy()
{
#ifdef RIGHT
    try {
        assert(price("tea") == 3);
    } catch (const std::runtime_error &e) {
        assert(std::string(e.what()) == "no price for tea");
    }
#else
    assert(price("tea") == 3);
#endif
}

int main()
{
    std::thread seller(set, "tea", 3);
    std::thread buyer(buy);
    seller.join();
    buyer.join();
}
