/* The library's random device, which asks the processor: of the two tests one fails whatever is drawn. */
#include <cassert>
#include <random>

static unsigned drawn()
{
    std::random_device device;
    return std::mt19937(device())();
}

extern "C" void test_device_even(void) { assert(drawn() % 2 == 0); }
extern "C" void test_device_odd(void) { assert(drawn() % 2 == 1); }
