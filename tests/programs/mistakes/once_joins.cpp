// An initialiser joins a thread that needs what it initialises: by call_once, or (STATIC) a static variable of a function.
#include <mutex>
#include <thread>

struct Registry {
    Registry();
    int size = 0;
};

#ifdef STATIC
static Registry &registry() {
    static Registry instance; // guarded
    return instance;
}
#else
static std::once_flag once;
static Registry *made;

static Registry &registry() {
    std::call_once(once, [] { made = new Registry; }); // called
    return *made;
}
#endif

Registry::Registry() {
    std::thread loader([] { registry(); });
    loader.join(); // joins
    size = 1;
}

int main() {
    return registry().size - 1;
}
