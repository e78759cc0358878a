#include <atomic>
#include <thread>
static std::thread t;
__attribute__((noinline)) static void start() { std::atomic<int> f{0}; t = std::thread([&f] { f.store(1); }); throw 1; }
int main() { try { start(); } catch (int) {} t.join(); }
