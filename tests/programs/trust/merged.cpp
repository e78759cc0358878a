// Races of which an optimising compiler leaves no trace: it merges or drops the accesses of one side.
#include <cassert>
#include <thread>

template <class F, class G> static void both(F f, G g) {
    std::thread t(f);
    g();
    t.join();
}

static int twice, unused, stored;

// Two reads become one.
void test_reads_twice() {
    both([] { twice = 1; }, [] { int x = twice, y = twice; assert(x == y); });
}

// Nobody uses what is read.
void test_unused() {
    both([] { unused = 1; }, [] { int x = unused; (void)x; });
}

// The first of two stores is never seen, unless somebody looks in between.
void test_stored_twice() {
    both([] { stored = 1; stored = 2; }, [] { int x = stored; assert(x != 1); });
}
