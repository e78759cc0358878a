/* What a C or C++ test may say to Raddle. Optional: outside Raddle all of it compiles to nothing
 * (and raddle_choose to 0). */
#ifndef RADDLE_H
#define RADDLE_H

#ifdef __RADDLE__

#ifdef __cplusplus
extern "C" {
#endif

/* A number from 0 to n-1, at most 64 of them; every one is explored. */
unsigned raddle_choose(unsigned n);

/* Gives up the executions in which the condition does not hold. */
void raddle_assume(int condition);

/* No other thread runs between the two, unless this one blocks. They nest. */
void raddle_atomic_begin(void);
void raddle_atomic_end(void);

/* A schedule point: another thread may run here. */
void raddle_point(void);

void raddle_assert_at(int condition, const char *message);

#ifdef __cplusplus
}
#endif

/* Fails the test, with this message, when the condition does not hold. */
#define raddle_assert(condition, message) raddle_assert_at(!!(condition), (message))

#else

#define raddle_choose(n) ((void)(n), 0u)
#define raddle_assume(condition) ((void)(condition))
#define raddle_assert(condition, message) ((void)(condition), (void)(message))
#define raddle_atomic_begin() ((void)0)
#define raddle_atomic_end() ((void)0)
#define raddle_point() ((void)0)

#endif

#endif
