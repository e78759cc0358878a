// std::mutex, std::lock_guard: whether there is something left is asked under the lock, and so is it taken, but
// not in one go, so the last piece is sold twice. Right: both under one lock.
#include <cassert>
#include <mutex>
#include <thread>

class Shelf {
public:
    explicit Shelf(int pieces) : pieces_(pieces) {}

    bool has_any()
    {
        std::lock_guard<std::mutex> guard(mutex_);
        return pieces_ > 0;
    }

    void take()
    {
        std::lock_guard<std::mutex> guard(mutex_);
        pieces_--;
    }

    void take_if_any()
    {
        std::lock_guard<std::mutex> guard(mutex_);
        if (pieces_ > 0)
            pieces_--;
    }

    int pieces()
    {
        std::lock_guard<std::mutex> guard(mutex_);
        return pieces_;
    }

private:
    std::mutex mutex_;
    int pieces_;
};

static Shelf shelf(1);

static void buy()
{
#ifdef RIGHT
    shelf.take_if_any();
#else
    if (shelf.has_any())
        shelf.take();
#endif
}

int main()
{
    std::thread one(buy), other(buy);
    one.join();
    other.join();
    assert(shelf.pieces() == 0);
}
