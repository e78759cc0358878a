// Who takes letters goes by a flag that says that there are some, and that nobody lowers again when the last one is taken. With LOWERED
// that is done, and the mistake is another one: what was counted is lost.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t box = PTHREAD_MUTEX_INITIALIZER;
static bool has_letters;
static int letters, taken;

static void *postman(void *arg) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&box);
        letters++;
        has_letters = true; // raises
        pthread_mutex_unlock(&box);
    }
    return arg;
}

static void take(void) {
    assert(letters > 0);
    letters--; // takes
    taken++;
#ifdef LOWERED
    has_letters = letters > 0;
#endif
}

static void *owner(void *arg) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&box);
        if (has_letters) // goes by
            take();
        pthread_mutex_unlock(&box);
    }
#ifdef LOWERED
    pthread_mutex_lock(&box);
    assert(!has_letters || taken == 3);
    pthread_mutex_unlock(&box);
#endif
    return arg;
}

int main(void) {
    pthread_t p, o;
    pthread_create(&p, NULL, postman, NULL);
    pthread_create(&o, NULL, owner, NULL);
    pthread_join(p, NULL);
    pthread_join(o, NULL);
    return 0;
}
