/* Before libstdc++'s own, for every compilation by `raddle c++`: how threads wait for a std::future and how it becomes ready.

   The library looks at the state, sets a bit in it that says that a thread waits, sleeps on a futex, and looks again. No program can
   notice the bit, but each of these operations is a step. Under Raddle a wait without a time limit is one load, which blocks
   until the state is ready. The operation that makes the state ready wakes these threads itself. Waits with a time limit are the library's.

   In a program that runs without Raddle all is the library's own, and so it is in versions of the library that are not known. */
#ifndef RADDLE_ATOMIC_FUTEX_H
#define RADDLE_ATOMIC_FUTEX_H

#include <bits/c++config.h>

#pragma GCC system_header

#include <atomic>

#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE == 12 && defined(_GLIBCXX_HAS_GTHREADS) \
  && defined(_GLIBCXX_HAVE_LINUX_FUTEX) && ATOMIC_INT_LOCK_FREE > 1

extern "C" int __raddle_is_modelled(void) _GLIBCXX_NOTHROW;
extern "C" void __raddle_future_wait(const unsigned*, int) _GLIBCXX_NOTHROW;
extern "C" unsigned __raddle_future_set(unsigned*, unsigned, int) _GLIBCXX_NOTHROW;

#define __atomic_futex_unsigned __library_atomic_futex_unsigned

#include_next <bits/atomic_futex.h>

#undef __atomic_futex_unsigned

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
  template<unsigned _Waiter_bit = 0x80000000>
    class __atomic_futex_unsigned : public __library_atomic_futex_unsigned<_Waiter_bit>
    {
      typedef __library_atomic_futex_unsigned<_Waiter_bit> __library;

      /* The library's only member, at offset 0. */
      _GLIBCXX_ALWAYS_INLINE unsigned*
      _M_word()
      { return (unsigned*)(void*)this; }

    public:
      explicit
      __atomic_futex_unsigned(unsigned __data) : __library(__data)
      { static_assert(sizeof(*this) == sizeof(unsigned), "the state is one word"); }

      /* The runtime waits for a value other than 0. A future has no such value but the one that means ready. */
      _GLIBCXX_ALWAYS_INLINE void
      _M_load_when_equal(unsigned __val, memory_order __mo)
      {
	if (__val == 1 && __raddle_is_modelled())
	  __raddle_future_wait(_M_word(), int(__mo));
	else
	  __library::_M_load_when_equal(__val, __mo);
      }

      _GLIBCXX_ALWAYS_INLINE void
      _M_store_notify_all(unsigned __val, memory_order __mo)
      {
	if (!__raddle_is_modelled())
	  __library::_M_store_notify_all(__val, __mo);
	else if (__raddle_future_set(_M_word(), __val, int(__mo)) & _Waiter_bit)
	  std::__atomic_futex_unsigned_base::_M_futex_notify_all(_M_word());
      }
    };
_GLIBCXX_END_NAMESPACE_VERSION
}

#else
#include_next <bits/atomic_futex.h>
#endif

#endif
