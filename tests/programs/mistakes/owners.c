/* A block that counts its owners, given up in two steps (TWO_STEPS) or in too weak an order (RELAXED). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct image {
    atomic_int owners;
    int pixels[4];
};

#ifdef TWO_STEPS
static void close_image(struct image *image)
{
    atomic_fetch_sub(&image->owners, 1); // gives up
    if (atomic_load(&image->owners) == 0) // looks
        free(image);
}
#endif

#ifdef RELAXED
static void close_image(struct image *image)
{
    if (atomic_fetch_sub_explicit(&image->owners, 1, memory_order_relaxed) == 1)
        free(image);
}
#endif

static void *shows(void *image)
{
    close_image(image);
    return NULL;
}

int main(void)
{
    struct image *image = calloc(1, sizeof *image);
    atomic_init(&image->owners, 2);
    pthread_t viewer;
    pthread_create(&viewer, NULL, shows, image);
    close_image(image);
    pthread_join(viewer, NULL);
    return 0;
}
