// std::promise::set_value_at_thread_exit, std::packaged_task::make_ready_at_thread_exit: what is promised is there when the
// thread has ended. Wrong: somebody who got tired of waiting reads what the thread writes. Right: who waits until it is ready.
#include <cassert>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <utility>

static int written, counted;

static void write_down(std::promise<std::string> ready)
{
    ready.set_value_at_thread_exit("a text that is too long to lie in the string itself");
    written = 1;
}

int main()
{
    std::promise<std::string> promise;
    std::future<std::string> ready = promise.get_future();
    std::thread writer(write_down, std::move(promise));
#ifdef RIGHT
    std::packaged_task<int()> task([] { return ++counted; });
    std::future<int> number = task.get_future();
    std::thread counter([&task] {
        task.make_ready_at_thread_exit();
        counted++;
    });
    assert(number.get() == 1);
    assert(counted == 2);
    assert(ready.get().size() > 40);
    counter.join();
#else
    ready.wait_for(std::chrono::seconds(1));
#endif
    assert(written == 1);
    writer.join();
}
