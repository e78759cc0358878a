// std::shared_mutex, std::shared_lock: readers count how often they looked, under a lock that they share. Right:
// the count is an atomic.
#include <atomic>
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

class Board {
public:
    int look()
    {
        std::shared_lock<std::shared_mutex> guard(mutex_);
        looks_++;
        return notes_;
    }

    void pin()
    {
        std::unique_lock<std::shared_mutex> guard(mutex_);
        notes_++;
    }

private:
    std::shared_mutex mutex_;
    int notes_ = 0;
#ifdef RIGHT
    std::atomic<int> looks_{0};
#else
    int looks_ = 0;
#endif
};

static Board board;

int main()
{
    std::thread reader([] { board.look(); });
    std::thread another([] { board.look(); });
    std::thread writer([] { board.pin(); });
    reader.join();
    another.join();
    writer.join();
    assert(board.look() == 1);
}
