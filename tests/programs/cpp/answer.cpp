// std::promise, std::future: the promise is kept before what it promises is written. Right: afterwards.
#include <cassert>
#include <future>
#include <thread>
#include <utility>

static int answer;

static void compute(std::promise<void> ready)
{
#ifdef RIGHT
    answer = 42;
    ready.set_value();
#else
    ready.set_value();
    answer = 42;
#endif
}

int main()
{
    std::promise<void> promise;
    std::future<void> ready = promise.get_future();
    std::thread thread(compute, std::move(promise));
    ready.get();
    assert(answer == 42);
    thread.join();
}
