/* Two threads create a thread each, and use what the runtime names by threads: pipes, ends that are asked for, numbers. Parents
   and children take turns, so that either child may be created first. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int turns;
static void pair(void *(*parent)(void *)) {
  pthread_t parents[2];
  for (long i = 0; i < 2; i++) pthread_create(&parents[i], 0, parent, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(parents[i], 0);
}

/* A child makes a pipe, and its parent reads what it writes there. */
struct way { atomic_int made; int ends[2]; };
static void *writes(void *argument) {
  struct way *way = argument;
  turns++;
  pipe(way->ends);
  way->made = 1;
  write(way->ends[1], "x", 1);
  return 0;
}
static void *reads(void *unused) {
  struct way way = {0};
  pthread_t child;
  turns++;
  pthread_create(&child, 0, writes, &way);
  char text = 0;
  if (way.made) read(way.ends[0], &text, 1);
  pthread_join(child, 0);
  return unused;
}
void test_pipes(void) { pair(reads); }

/* A parent asks whether its child has ended. */
static void *leaf(void *unused) { turns++; return unused; }
static void *asks(void *unused) {
  pthread_t child;
  turns++;
  pthread_create(&child, 0, leaf, 0);
  if (pthread_tryjoin_np(child, 0)) pthread_join(child, 0);
  return unused;
}
void test_ends(void) { pair(asks); }

/* A thread's number does not tell who was created first: the numbers are the same in all executions. */
static atomic_int numbers[2];
static void *numbered(void *which) {
  turns++;
  numbers[(long)which] = gettid();
  return 0;
}
static void *creates(void *which) {
  pthread_t child;
  turns++;
  pthread_create(&child, 0, numbered, which);
  pthread_join(child, 0);
  return 0;
}
void test_numbers(void) {
  pair(creates);
  assert(numbers[0] != numbers[1] && numbers[0] != getpid());
#ifdef LESS
  assert((numbers[0] < numbers[1]) == LESS);
#endif
}
