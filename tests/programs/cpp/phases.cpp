// std::barrier (C++20): one of two leaves after the first phase, and the other one waits for it in the second.
// Right: it says that it leaves.
#include <barrier>
#include <thread>

static std::barrier meeting(2);

static void stays()
{
    meeting.arrive_and_wait();
    meeting.arrive_and_wait();
}

static void leaves()
{
#ifdef RIGHT
    meeting.arrive_and_wait();
    meeting.arrive_and_drop();
#else
    meeting.arrive_and_wait();
#endif
}

int main()
{
    std::thread one(stays), other(leaves);
    one.join();
    other.join();
}
