// A block goes from one thread to another, which gives it back by another family of functions than gave it. HOW says
// which; with FIXED it is the right one.
#include <cstdlib>
#include <new>
#include <thread>

static char *text;

#ifdef REPLACED
// The program's own operators, all over malloc: what gives back may be any.
void *operator new(std::size_t size)
{
    return std::malloc(size);
}
void operator delete(void *block) noexcept
{
    std::free(block);
}
void operator delete(void *block, std::size_t) noexcept
{
    std::free(block);
}
#endif

struct alignas(64) Wide {
    char letters[64];
};

static void make()
{
#if HOW == 0 || HOW == 3
    text = new char[16]; // made by new[]
#elif HOW == 1 || HOW == 4
    text = static_cast<char *>(::operator new(16)); // made by plain new
#elif HOW == 2
    text = static_cast<char *>(std::malloc(16)); // made by malloc
#endif
}

static void give_back()
{
#ifdef FIXED
#if HOW == 0 || HOW == 3
    delete[] text;
#elif HOW == 1 || HOW == 4
    ::operator delete(text);
#elif HOW == 2
    std::free(text);
#endif
#elif HOW == 0 || HOW == 2
    ::operator delete(text); // given back by plain delete
#elif HOW == 1 || HOW == 3
    std::free(text); // given back by free
#elif HOW == 4
    ::operator delete[](text); // given back by delete[]
#endif
}

int main()
{
    // Of each pair the two go together, over whatever the library makes of them.
    delete new (std::nothrow) int;
    delete[] new (std::nothrow) int[3];
    delete new Wide;
    delete[] new Wide[2];
    ::operator delete(::operator new(8, std::nothrow), std::nothrow);
    ::operator delete[](::operator new[](8), std::nothrow);
    ::operator delete(::operator new(64, std::align_val_t(64), std::nothrow), std::align_val_t(64));
    std::thread maker(make);
    maker.join();
    std::thread taker(give_back);
    taker.join();
    return 0;
}
