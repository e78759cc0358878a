/* Three threads use the sessions at once: one asks for somebody, one logs somebody new in, who makes the map grow, and
 * one logs somebody in again. */
#include "sessions.h"

#include <assert.h>
#include <stdio.h>

static struct sessions sessions;

/* Alan has been there from the beginning. */
static void *ask(void *unused)
{
    long since = sessions_since(&sessions, "alan");
    assert(since == 3);
    return unused;
}

static void *arrive(void *unused)
{
    bool done = sessions_login(&sessions, "niklaus", 5);
    assert(done);
    return unused;
}

static void *come_back(void *unused)
{
    bool done = sessions_login(&sessions, "ken", 6);
    assert(done);
    return unused;
}

int main(void)
{
    static const char *const names[] = {"edsger", "ken", "alan", "dennis"};
    pthread_t threads[3];

    if (!sessions_init(&sessions)) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!sessions_login(&sessions, names[i], (long)i + 1))
            return 1;
    }
    pthread_create(&threads[0], NULL, ask, NULL);
    pthread_create(&threads[1], NULL, arrive, NULL);
    pthread_create(&threads[2], NULL, come_back, NULL);
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(sessions_count(&sessions) == 5);
    assert(sessions_since(&sessions, "ken") == 6);
    assert(sessions_logout(&sessions, "niklaus"));
    printf("%zu sessions\n", sessions_count(&sessions));
    sessions_destroy(&sessions);
    return 0;
}
