// The best player is looked for and then asked for by its place, in two critical sections called on one line.
#include <cassert>
#include <mutex>
#include <thread>

struct Players {
    std::mutex m;
    int count = 3;
    int points[3] = {3, 9, 5};

    int best() {
        std::lock_guard<std::mutex> g(m);
        int b = 0;
        for (int i = 1; i < count; i++)
            if (points[i] > points[b])
                b = i;
        return b;
    }
    int points_of(int index) {
        std::lock_guard<std::mutex> g(m);
        return points[index];
    }
    void leave() {
        std::lock_guard<std::mutex> g(m);
        points[0] = points[1];
        points[1] = points[2];
        count--;
    }
};

static Players players;
static int won;

int main() {
    std::thread judge([] { won = players.points_of(players.best()); }); // both
    std::thread leaver([] { players.leave(); });
    judge.join();
    leaver.join();
    assert(won == 9);
    return 0;
}
