// std::condition_variable, std::unique_lock, a class template: between the look into the box and the wait the lock
// is let go, so the letter and its notification can come in between. Right: a wait with a predicate.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

template <typename T>
class Mailbox {
public:
    void put(T letter)
    {
        {
            std::lock_guard<std::mutex> guard(mutex_);
            letters_.push_back(std::move(letter));
        }
        arrived_.notify_one();
    }

    T take()
    {
#ifdef RIGHT
        std::unique_lock<std::mutex> guard(mutex_);
        arrived_.wait(guard, [this] { return !letters_.empty(); });
#else
        bool none;
        {
            std::lock_guard<std::mutex> guard(mutex_);
            none = letters_.empty();
        }
        std::unique_lock<std::mutex> guard(mutex_);
        if (none)
            arrived_.wait(guard);
#endif
        T letter = std::move(letters_.front());
        letters_.pop_front();
        return letter;
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<T> letters_;
};

static Mailbox<int> box;

int main()
{
    std::thread reader([] { assert(box.take() == 7); });
    std::thread writer([] { box.put(7); });
    reader.join();
    writer.join();
}
