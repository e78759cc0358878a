#include <thread>
struct A { A(bool deep); int v; };
struct B { B(bool deep); int v; };
A& the_a(bool deep);
B& the_b(bool deep);
A::A(bool deep) { v = 1; if (deep) the_b(false); }
B::B(bool deep) { v = 2; if (deep) the_a(false); }
A& the_a(bool deep) { static A x(deep); return x; }
B& the_b(bool deep) { static B y(deep); return y; }
int main() {
    std::thread t([] { the_a(true); });
    the_b(true);
    t.join();
}
