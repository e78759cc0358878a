// A thread uses an object before its constructor has ended, or (DESTROYS) once its destructor has begun.
#include <thread>

struct Task {
    Task() : worker([this] { run(); }) {} // runs
#ifdef DESTROYS
    virtual ~Task() { worker.join(); }
#else
    virtual ~Task() {}
#endif
    virtual void run() = 0;

    std::thread worker;
};

struct Print : Task { // derived
    int lines = 0;
    void run() override { lines++; }
};

int main() {
    Print print;
#ifndef DESTROYS
    print.worker.join();
#endif
    return 0;
}
