// std::recursive_mutex: what is called for each node takes the lock again. Right: with a mutex that allows it.
#include <cassert>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#ifdef RIGHT
using Mutex = std::recursive_mutex;
#else
using Mutex = std::mutex;
#endif

class Tree {
public:
    void add(int node)
    {
        std::lock_guard<Mutex> guard(mutex_);
        nodes_.push_back(node);
    }

    std::size_t size()
    {
        std::lock_guard<Mutex> guard(mutex_);
        return nodes_.size();
    }

    void each(const std::function<void(int)> &visit)
    {
        std::lock_guard<Mutex> guard(mutex_);
        for (int node : nodes_)
            visit(node);
    }

private:
    Mutex mutex_;
    std::vector<int> nodes_;
};

int main()
{
    Tree tree;
    std::thread grower([&] { tree.add(1); });
    std::thread visitor([&] { tree.each([&](int node) { assert(tree.size() == std::size_t(node)); }); });
    grower.join();
    visitor.join();
}
