// Threads, locks, exceptions, templates and lambdas of C++. test_withdrawals lets go of the lock
// between looking at the balance and taking from it.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace handoff {

template <typename T>
class Queue {
public:
    void push(T value)
    {
        std::lock_guard<std::mutex> guard(lock);
        values.push_back(value);
        ready.notify_one();
    }

    T pop()
    {
        std::unique_lock<std::mutex> guard(lock);
        ready.wait(guard, [this] { return !values.empty(); });
        T value = values.front();
        values.pop_front();
        return value;
    }

private:
    std::mutex lock;
    std::condition_variable ready;
    std::deque<T> values;
};

int checked(int value)
{
    if (value < 0)
        throw std::invalid_argument("negative");
    return value;
}

} // namespace handoff

void test_handoff()
{
    handoff::Queue<int> queue;
    std::vector<std::thread> producers;
    for (int i = 1; i <= 2; i++)
        producers.emplace_back([&queue, i] { queue.push(handoff::checked(i)); });
    int sum = queue.pop() + queue.pop();
    for (auto &producer : producers)
        producer.join();
    assert(sum == 3);
}

void test_exception()
{
    int caught = 0;
    std::thread thread([&] {
        try {
            handoff::checked(-1);
        } catch (const std::invalid_argument &) {
            caught++;
        }
    });
    thread.join();
    assert(caught == 1);
}

static int balance;
static std::mutex account;

void test_withdrawals()
{
    balance = 3;
    auto withdraw = [](int amount) {
        bool enough;
        {
            std::lock_guard<std::mutex> guard(account);
            enough = balance >= amount;
        }
        if (enough) {
            std::lock_guard<std::mutex> guard(account);
            balance -= amount;
        }
    };
    std::thread first(withdraw, 2), second(withdraw, 2);
    first.join();
    second.join();
    assert(balance >= 0); // overdrawn
}
