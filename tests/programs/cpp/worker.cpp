// std::jthread, std::stop_token, std::condition_variable_any (C++20): a worker that waits is asked to stop, but
// nobody wakes it. Right: it waits with its token.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>

class Worker {
public:
    Worker() : thread_([this](std::stop_token stop) { run(stop); }) {}

    void give(int job)
    {
        {
            std::lock_guard<std::mutex> guard(mutex_);
            jobs_.push_back(job);
        }
        wake_.notify_one();
    }

private:
    void run(std::stop_token stop)
    {
        std::unique_lock<std::mutex> guard(mutex_);
        while (!stop.stop_requested()) {
#ifdef RIGHT
            wake_.wait(guard, stop, [this] { return !jobs_.empty(); });
#else
            wake_.wait(guard, [&] { return !jobs_.empty() || stop.stop_requested(); });
#endif
            jobs_.clear();
        }
    }

    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<int> jobs_;
    std::jthread thread_;
};

int main()
{
    Worker worker;
}
