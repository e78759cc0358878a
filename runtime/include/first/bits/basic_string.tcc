/* Before libstdc++'s own, for every compilation by `raddle c++`: std::string is compiled into the program, with hooks.

   Up to C++17 the library keeps assignment, append and their like of its usual strings for itself, where no hook tells of what they
   do to memory: two threads that assign to one string would pass. With this value of the library's own switch they are made in
   the program, as they are from C++20 on and with _GLIBCXX_ASSERTIONS. They do the same. */
#ifndef RADDLE_BASIC_STRING_TCC
#define RADDLE_BASIC_STRING_TCC

#pragma GCC system_header

#pragma push_macro("_GLIBCXX_EXTERN_TEMPLATE")
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1

#include_next <bits/basic_string.tcc>

#pragma pop_macro("_GLIBCXX_EXTERN_TEMPLATE")

#endif
