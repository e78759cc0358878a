// Memory of the heap that races, for `--promote-races`: what `new` gives, which calls malloc from code
// without lines, and the elements of an array, one after the other.
#include <cassert>
#include <cstdlib>
#include <thread>

struct Pair {
    int unused;
    int count;
};

static Pair *make()
{
    return new Pair{0, 0};
}

static void count(Pair *pair)
{
    pair->count++;
}

void test_new()
{
    Pair *pair = make();
    std::thread first(count, pair), second(count, pair);
    first.join();
    second.join();
    assert(pair->count == 2);
    delete pair;
}

static void fill(int *all)
{
    for (int i = 0; i < 12; i++)
        all[i] = i;
}

void test_array()
{
    int *all = static_cast<int *>(malloc(12 * sizeof *all));
    std::thread first(fill, all), second(fill, all);
    first.join();
    second.join();
    assert(all[11] == 11);
    free(all);
}
