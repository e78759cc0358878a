// A flag says that an object is made before it is, and what leads to the object is a pointer of the library's.
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

struct Connection {
    int port = 80;
};

static std::atomic<bool> opened, told;
static int sum;

struct Client {
    std::unique_ptr<Connection> connection_;

    std::unique_ptr<Connection> &made() { return connection_; }

    int port()
    {
        if (!opened.exchange(true))
            connection_ = std::make_unique<Connection>();
        return connection_->port;
    }

    int unnamed()
    {
        if (!opened.exchange(true))
            made() = std::make_unique<Connection>(); // makes
        return made()->port; // uses
    }
};

static void both(int (Client::*get)())
{
    Client client;
    opened = false;
    std::thread a([&] { (client.*get)(); });
    std::thread b([&] { (client.*get)(); });
    a.join();
    b.join();
}

extern "C" void test_arrow(void)
{
    both(&Client::port);
}

extern "C" void test_unnamed(void)
{
    both(&Client::unnamed);
}

// What is called accesses what it does by itself: nothing is written where it is called.
extern "C" void test_called(void)
{
    std::function<void(int)> add = [](int n) { sum += n; };
    std::function<void(int)> *it = &add;
    told = false;
    std::thread other([&] { told = true; });
    (*it)(3); // calls
    if (told)
        __builtin_trap();
    other.join();
}
