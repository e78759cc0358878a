/* Before libstdc++'s own, for every compilation by `raddle c++`: the counts of shared_ptr and weak_ptr. The runtime is told what is
   done to them as what it is (an owner more, an owner less, a look), so that only counts of which the order can be noticed are
   schedule points (`runtime/src/kernel/counts.rs`), and where the drop behind the last decrement ends.

   The library looks at both counts at once before a decrement and changes them without an atomic operation where no other
   reference is left, or where there is one thread: nobody can notice that, and it is left out. In versions of it that are not
   known all is the library's own. */
#ifndef RADDLE_SHARED_PTR_BASE_H
#define RADDLE_SHARED_PTR_BASE_H

#include <bits/c++config.h>

#pragma GCC system_header

#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE == 12

/* All that the library's header includes: the names below mean something else there. */
#include <typeinfo>
#include <bits/allocated_ptr.h>
#include <bits/allocator.h>
#include <bits/exception_defines.h>
#include <bits/functional_hash.h>
#include <bits/refwrap.h>
#include <bits/stl_function.h>
#include <bits/unique_ptr.h>
#include <ext/aligned_buffer.h>
#include <ext/atomicity.h>
#include <ext/concurrence.h>
#if __cplusplus >= 202002L
#include <bit>
#include <compare>
#include <bits/align.h>
#include <bits/stl_uninitialized.h>
#endif

extern "C"
{
  void __raddle_owner_added(_Atomic_word*) _GLIBCXX_NOTHROW;
  _Atomic_word __raddle_owner_gone(_Atomic_word*) _GLIBCXX_NOTHROW;
  _Atomic_word __raddle_owners(const _Atomic_word*) _GLIBCXX_NOTHROW;
  int __raddle_owner_if(_Atomic_word*, _Atomic_word*) _GLIBCXX_NOTHROW;
  void __raddle_dropped(_Atomic_word*) _GLIBCXX_NOTHROW;
}

namespace __gnu_cxx _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
  inline void
  __attribute__((__always_inline__))
  __raddle_add(_Atomic_word* __count, int) _GLIBCXX_NOTHROW
  { ::__raddle_owner_added(__count); }

  /* Only a policy that nobody has by default adds so: a lock that may find no owner. */
  inline _Atomic_word
  __attribute__((__always_inline__))
  __raddle_exchange_and_add(_Atomic_word* __count, int __n) _GLIBCXX_NOTHROW
  {
    if (__n < 0)
      return ::__raddle_owner_gone(__count);
    _Atomic_word __old = ::__raddle_owners(__count);
    while (!::__raddle_owner_if(__count, &__old))
      { }
    return __old;
  }

  /* From where the last owner has gone to where all is given back that it has left. */
  struct __raddle_last
  {
    _Atomic_word* _M_count;

    __attribute__((__always_inline__))
    explicit __raddle_last(_Atomic_word* __count) _GLIBCXX_NOTHROW
    : _M_count(__count) { }

    __attribute__((__always_inline__))
    ~__raddle_last()
    { ::__raddle_dropped(_M_count); }

  private:
    __raddle_last(const __raddle_last&);
    __raddle_last& operator=(const __raddle_last&);
  };
_GLIBCXX_END_NAMESPACE_VERSION
}

#pragma push_macro("_GLIBCXX_TSAN")
#pragma push_macro("_GLIBCXX_SYNCHRONIZATION_HAPPENS_AFTER")
#undef _GLIBCXX_TSAN
#undef _GLIBCXX_SYNCHRONIZATION_HAPPENS_AFTER
/* The look at both counts is left out. */
#define _GLIBCXX_TSAN 1
#define _GLIBCXX_SYNCHRONIZATION_HAPPENS_AFTER(count) __gnu_cxx::__raddle_last __last(count)
#define __atomic_add_dispatch __raddle_add
#define __exchange_and_add_dispatch __raddle_exchange_and_add
#define __atomic_load_n(count, order) ::__raddle_owners(count)
#define __atomic_compare_exchange_n(count, expected, one_more, weak, order, failure) \
  (::__raddle_owner_if(count, expected) != 0)

#include_next <bits/shared_ptr_base.h>

#undef __atomic_add_dispatch
#undef __exchange_and_add_dispatch
#undef __atomic_load_n
#undef __atomic_compare_exchange_n
#pragma pop_macro("_GLIBCXX_TSAN")
#pragma pop_macro("_GLIBCXX_SYNCHRONIZATION_HAPPENS_AFTER")

#else
#include_next <bits/shared_ptr_base.h>
#endif

#endif
