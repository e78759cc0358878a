/* Built by the package itself, and so without hooks. */
void set_by_theirs(int *place) { *place = 1; }
