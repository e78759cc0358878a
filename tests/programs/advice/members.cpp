// Members that functions of their object call by their bare names.
#include <cassert>
#include <pthread.h>

struct Tank {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int level = 3;

    void drain()
    {
        pthread_mutex_lock(&lock);
        level -= 3; // drains
        pthread_mutex_unlock(&lock);
    }

    int look()
    {
        pthread_mutex_lock(&lock);
        int seen = level; // looks
        pthread_mutex_unlock(&lock);
        return seen;
    }
};

static void *drains(void *tank)
{
    static_cast<Tank *>(tank)->drain();
    return nullptr;
}

int main()
{
    Tank *tank = new Tank;
    pthread_t t;
    pthread_create(&t, nullptr, drains, tank);
    int before = tank->look();
    assert(before == tank->look());
    pthread_join(t, nullptr);
    delete tank;
    return 0;
}
