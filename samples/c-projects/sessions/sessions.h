/* Who is logged in, and since when. */
#ifndef SESSIONS_H
#define SESSIONS_H

#include "map.h"

#include <stdbool.h>
#include <stddef.h>

struct sessions {
    struct map by_name;
};

bool sessions_init(struct sessions *sessions);
void sessions_destroy(struct sessions *sessions);

/* Somebody logs in at a time, for the first time or again. False without memory. */
bool sessions_login(struct sessions *sessions, const char *name, long time);

/* Somebody logs out. False if they were not there. */
bool sessions_logout(struct sessions *sessions, const char *name);

/* Since when somebody is there; -1 if they are not. */
long sessions_since(struct sessions *sessions, const char *name);

size_t sessions_count(struct sessions *sessions);

#endif
