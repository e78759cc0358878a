// new and delete: whoever counts down to the end deletes, and what decides is read once more. Right: what the count
// was before is looked at. As std::shared_ptr would do.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Shared {
    std::atomic<int> owners{2};
};

static void release(Shared *shared)
{
#ifdef RIGHT
    if (shared->owners.fetch_sub(1) == 1)
        delete shared;
#else
    shared->owners.fetch_sub(1);
    if (shared->owners == 0)
        delete shared;
#endif
}

int main()
{
    Shared *shared = new Shared;
    std::shared_ptr<int> kept = std::make_shared<int>(3);
    std::thread one(release, shared);
    std::thread other([shared, kept] {
        assert(*kept == 3);
        release(shared);
    });
    one.join();
    other.join();
    assert(kept.use_count() == 1);
}
