// What C++ does with exceptions, initialisers and deletes: each test says how it ends.
#include <atomic>
#include <cassert>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag once;
static std::atomic<int> tries{0};

// Passes: the first initialiser throws, and its caller's lock is given back, so that the other thread's runs.
void test_once_throws()
{
    auto initialise = [] {
        try {
            std::call_once(once, [] {
                if (tries++ == 0)
                    throw std::runtime_error("first");
            });
        } catch (const std::runtime_error &) {
        }
    };
    std::thread one(initialise), other(initialise);
    one.join();
    other.join();
    assert(tries == 2);
}

struct Made {
    Made()
    {
        if (tries++ == 0)
            throw std::runtime_error("first");
    }
};

// Passes: the variable is initialised by the second who comes.
void test_variable_throws()
{
    auto use = [] {
        try {
            static Made made;
        } catch (const std::runtime_error &) {
        }
    };
    std::thread one(use), other(use);
    one.join();
    other.join();
    assert(tries == 2);
}

static int &recursive()
{
    static int &value = recursive(); // waits for itself
    return value;
}

// A deadlock: who initialises it waits for its initialisation.
void test_recursive()
{
    recursive();
}

// Passes: the future brings the exception.
void test_future_brings_it()
{
    std::future<int> future = std::async(std::launch::async, []() -> int { throw std::runtime_error("brought"); });
    try {
        future.get();
        assert(!"nothing was thrown");
    } catch (const std::runtime_error &e) {
        assert(std::string(e.what()) == "brought");
    }
}

// Nobody catches it, and it says nothing.
void test_number()
{
    std::thread thread([] {
        throw 3; // uncaught
    });
    thread.join();
}

// A thread that is not joined.
void test_not_joined()
{
    std::thread thread([] {});
}

// Deleted twice, by two threads, one after the other.
void test_deleted_twice()
{
    int *value = new int(3);
    auto drop = [value] {
        delete value; // by each
    };
    std::thread(drop).join();
    std::thread(drop).join();
}
