/* What `raddle cc` and `raddle c++` put into functions. They include it in every source they edit;
 * nobody else needs it. It includes nothing, so that what a program defines on its first line
 * still comes before every header, and it is C89 as well as C++98. */
#ifndef RADDLE_POINTS_H
#define RADDLE_POINTS_H

/* No warnings from the macros below, whatever the program asks for. */
#pragma GCC system_header

#ifdef __cplusplus
extern "C" {
#endif

typedef struct __raddle_record {
    const char *name;
    __SIZE_TYPE__ name_len;
    const char *file;
    __SIZE_TYPE__ file_len;
    unsigned line;
    unsigned kind;
} __raddle_record;

void raddle_rt_enter_at(const __raddle_record *method, unsigned *frame, const void *end)
    __attribute__((__nothrow__));
void raddle_rt_leave_at(unsigned *frame) __attribute__((__nothrow__));
void raddle_rt_statement(void);
void raddle_rt_reached(const void *caller);
void raddle_rt_atomic_enter(void);
void raddle_rt_atomic_leave(unsigned *variable) __attribute__((__nothrow__));

#ifdef __cplusplus
}
#endif

/* 2 where later stores of the same thread belong to a release sequence: in C up to C17 (5.1.2.4) and in
 * C++ up to C++17 (6.8.2.1). C++20 took that out (P0982R1), and Rust has the rules of C++20. C23 is taken
 * for C++20 here: of its wording the shorter sequence is the one that hides no race. */
#ifdef __cplusplus
#if __cplusplus < 201709L
#define __raddle_kind 2
#endif
#elif !defined(__STDC_VERSION__) || __STDC_VERSION__ < 202000L
#define __raddle_kind 2
#endif
#ifndef __raddle_kind
#define __raddle_kind 0
#endif

#define __raddle_joined(a, b) a##b
#define __raddle_named(a, b) __raddle_joined(a, b)

/* The function's name goes onto the stack of this thread until the block ends, by a return, a jump
 * or an exception. The frame is written and read by the runtime only: neither a hook for an access
 * to it nor a line of this file comes into the program. All of it are declarations, for C89. The
 * word `struct` must not stand here: gcc would lose the warnings about the variables behind it. */
#define __raddle_fn(name)                                                                          \
    unsigned __raddle_named(__raddle_frame_, __LINE__)                                             \
        __attribute__((__cleanup__(raddle_rt_leave_at)));                                          \
    const int __raddle_named(__raddle_entered_, __LINE__) __attribute__((__unused__)) =            \
        __extension__({                                                                            \
            static const __raddle_record __raddle_method = {                                       \
                name, sizeof(name) - 1, __FILE__, sizeof(__FILE__) - 1, __LINE__, __raddle_kind};  \
            raddle_rt_enter_at(&__raddle_method, &__raddle_named(__raddle_frame_, __LINE__),       \
                               __builtin_dwarf_cfa());                                             \
            0;                                                                                     \
        })

/* SV-COMP's `reach_error`, which a program defines itself: that it is called is what counts. */
#define __raddle_reached()                                                                         \
    const int __raddle_named(__raddle_reached_, __LINE__) __attribute__((__unused__)) =            \
        (raddle_rt_reached(__builtin_return_address(0)), 0)

/* A function that is one atomic block, from here to its end. */
#define __raddle_atomic()                                                                          \
    unsigned __raddle_named(__raddle_block_, __LINE__)                                             \
        __attribute__((__cleanup__(raddle_rt_atomic_leave)));                                      \
    const int __raddle_named(__raddle_begun_, __LINE__) __attribute__((__unused__)) =              \
        (raddle_rt_atomic_enter(), 0)

/* A schedule point before a statement. */
#define __raddle_point() raddle_rt_statement()

/* The same before a declaration, as a declaration. */
#define __raddle_declare_point(n)                                                                  \
    const int __raddle_named(__raddle_point_, n) __attribute__((__unused__)) =                     \
        (raddle_rt_statement(), 0)

/* The same before an expression, inside of it. */
#define __raddle_point_then raddle_rt_statement(),

#endif
