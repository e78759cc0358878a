/* What threads do to files, in orders that can be found out, and in orders that cannot. */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *stream;
static int descriptor;

static void both(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
}

static void *adds_a(void *unused)
{
    fputs("A", stream);
    return unused;
}

static void *adds_b(void *unused)
{
    fputs("B", stream);
    return unused;
}

void test_order_in_a_stream(void)
{
    char text[3] = {0};
    stream = tmpfile();
    both(adds_a, adds_b);
    rewind(stream);
    fgets(text, sizeof text, stream); /* order in a stream */
    assert(strlen(text) == 2);
}

static void *writes_a(void *unused)
{
    write(descriptor, "A", 1);
    return unused;
}

static void *writes_b(void *unused)
{
    write(descriptor, "B", 1);
    return unused;
}

void test_order_in_a_file(void)
{
    char text[2];
    descriptor = memfd_create("file", 0);
    both(writes_a, writes_b);
    pread(descriptor, text, 2, 0); /* order in a file */
}

static void *goes_back(void *unused)
{
    lseek(descriptor, 0, SEEK_SET);
    return unused;
}

static void *takes(void *unused)
{
    char c;
    read(descriptor, &c, 1);
    return unused;
}

void test_order_of_places(void)
{
    descriptor = memfd_create("file", 0);
    write(descriptor, "ab", 2);
    both(goes_back, takes);
}

static void *asks(void *unused)
{
    struct stat about;
    fstat(descriptor, &about);
    return unused;
}

void test_how_long_it_is(void)
{
    descriptor = memfd_create("file", 0);
    both(writes_a, asks);
}

static void *makes(void *unused)
{
    int mine = open("made", O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (mine >= 0)
        close(mine);
    return unused;
}

static void *is_there(void *unused)
{
    access("./made", F_OK);
    return unused;
}

void test_whether_it_is_there(void)
{
    both(makes, is_there);
    unlink("made");
}

static void *lists(void *unused)
{
    DIR *folder = opendir(".");
    while (readdir(folder))
        ;
    closedir(folder);
    return unused;
}

void test_what_is_in_a_folder(void)
{
    both(makes, lists);
    unlink("made");
}

static void *links(void *unused)
{
    linkat(AT_FDCWD, "one", AT_FDCWD, "another", 0);
    return unused;
}

static void *follows(void *unused)
{
    char to[8];
    readlinkat(AT_FDCWD, "another", to, sizeof to);
    return unused;
}

void test_what_a_name_is(void)
{
    both(links, follows);
}

static void *goes_elsewhere(void *unused)
{
    chdir("/");
    return unused;
}

static void *asks_where(void *unused)
{
    char here[512];
    getcwd(here, sizeof here);
    return unused;
}

void test_where_it_is(void)
{
    int before = open(".", O_RDONLY);
    both(goes_elsewhere, asks_where);
    fchdir(before);
}

static void *locks_up(void *unused)
{
    fchmod(descriptor, 0400);
    return unused;
}

void test_what_rights_it_has(void)
{
    descriptor = memfd_create("file", 0);
    both(locks_up, asks);
}

static void *takes_of_a_copy(void *unused)
{
    char c;
    int copy = dup(descriptor);
    read(copy, &c, 1);
    return unused;
}

/* What was done before there was a copy counts too. */
void test_places_of_copies(void)
{
    descriptor = memfd_create("file", 0);
    write(descriptor, "ab", 2);
    both(goes_back, takes_of_a_copy);
}

/* From here on nobody can find out. */
static void *reads_a_stream_of_its_own(void *unused)
{
    char c;
    FILE *mine = fopen("input", "r");
    fseek(mine, 1, SEEK_SET);
    fread(&c, 1, 1, mine);
    rewind(mine);
    assert(ftell(mine) == 0);
    fread(&c, 1, 1, mine);
    fclose(mine);
    return unused;
}

void test_none_streams_of_their_own(void)
{
    int made = open("input", O_CREAT | O_WRONLY, 0600);
    write(made, "xyz", 3);
    close(made);
    both(reads_a_stream_of_its_own, reads_a_stream_of_its_own);
}

static void *reads_its_map(void *unused)
{
    int mine = open("input", O_RDONLY);
    volatile char *map = mmap(0, 3, PROT_READ, MAP_SHARED, mine, 0);
    assert(map[0] == 'x');
    munmap((void *)map, 3);
    close(mine);
    return unused;
}

void test_none_maps_to_read(void)
{
    int made = open("input", O_CREAT | O_WRONLY, 0600);
    write(made, "xyz", 3);
    close(made);
    both(reads_its_map, reads_its_map);
}

void test_none_only_listed(void)
{
    both(lists, lists);
}

static void *logs(void *unused)
{
    for (int n = 0; n < 10; n++)
        fprintf(stream, "line %d\n", n);
    return unused;
}

void test_none_log(void)
{
    stream = fopen("log", "w");
    both(logs, logs);
    fclose(stream);
}

static void *has_its_own(void *unused)
{
    char text[8];
    FILE *own = fopen("/dev/null", "w"), *other = tmpfile();
    fputs("text", own);
    fputs("text", other);
    rewind(other);
    fgets(text, sizeof text, other);
    printf("%s\n", text);
    return unused;
}

void test_none_of_their_own(void)
{
    both(has_its_own, has_its_own);
}

void test_none_read_afterwards(void)
{
    char c;
    pthread_t t;
    descriptor = memfd_create("file", 0);
    pthread_create(&t, 0, writes_a, 0);
    pthread_join(t, 0);
    pread(descriptor, &c, 1, 0);
    assert(c == 'A');
}

static void *reads_the_file(void *unused)
{
    char c;
    int mine = open("input", O_RDONLY);
    read(mine, &c, 1);
    close(mine);
    return unused;
}

void test_none_only_read(void)
{
    int made = open("input", O_CREAT | O_WRONLY, 0600);
    write(made, "x", 1);
    close(made);
    both(reads_the_file, reads_the_file);
}
