#include "sessions.h"

bool sessions_init(struct sessions *sessions)
{
    return map_init(&sessions->by_name);
}

void sessions_destroy(struct sessions *sessions)
{
    map_destroy(&sessions->by_name);
}

bool sessions_login(struct sessions *sessions, const char *name, long time)
{
    return map_put(&sessions->by_name, name, time);
}

bool sessions_logout(struct sessions *sessions, const char *name)
{
    return map_remove(&sessions->by_name, name);
}

long sessions_since(struct sessions *sessions, const char *name)
{
    long time;
    return map_get(&sessions->by_name, name, &time) ? time : -1;
}

size_t sessions_count(struct sessions *sessions)
{
    return map_length(&sessions->by_name);
}
