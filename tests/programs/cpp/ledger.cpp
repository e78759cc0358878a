// Two mutexes, std::lock_guard: two transfers lock the same accounts in opposite orders. Right: std::scoped_lock.
#include <cassert>
#include <mutex>
#include <thread>

struct Account {
    std::mutex mutex;
    int balance = 10;
};

static Account accounts[2];

static void transfer(Account &from, Account &to, int amount)
{
#ifdef RIGHT
    std::scoped_lock both(from.mutex, to.mutex);
#else
    std::lock_guard<std::mutex> first(from.mutex);
    std::lock_guard<std::mutex> second(to.mutex);
#endif
    from.balance -= amount;
    to.balance += amount;
}

int main()
{
    std::thread there(transfer, std::ref(accounts[0]), std::ref(accounts[1]), 3);
    std::thread back(transfer, std::ref(accounts[1]), std::ref(accounts[0]), 2);
    there.join();
    back.join();
    assert(accounts[0].balance == 9 && accounts[1].balance == 11);
}
