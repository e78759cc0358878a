#include <cassert>
#include <cstdlib>
#include <new>
#include <thread>
char *volatile block;
int main() {
  bool thrown = false;
  std::thread t([&] {
    try { block = new char[3ul << 30]; } catch (const std::bad_alloc &) { thrown = true; }
  });
  t.join();
  void *small = malloc(16);
  void *more = realloc(small, 3ul << 30);
  assert(thrown && !more);
  free(small);
}
