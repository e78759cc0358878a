// A semaphore of C++'s library that two threads take and give back. The program is right.
#include <cassert>
#include <semaphore>
#include <thread>

std::counting_semaphore<2> places(1);
int visits;

void visit() {
    places.acquire();
    visits++;
    places.release();
}

int main() {
    std::thread first(visit), second(visit);
    first.join();
    second.join();
    assert(visits == 2);
}
