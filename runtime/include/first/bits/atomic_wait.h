/* Before libstdc++'s own, for every compilation by `raddle c++`: how a thread waits for an atomic, a latch, a barrier or a
   semaphore of C++20, and is notified.

   The library looks 16 times before it sleeps, counts who waits in one of 16 places that all atomics share, and lets those of
   other sizes than int sleep on a number beside the place. Nothing of this can be found out by a program, but each of it is a
   step. Under Raddle a wait is one look and one operation, which sleeps while the atomic's value is the one that was seen; a
   notify is one operation. What is the library's choice stays as it is: a notify_one wakes all of those who wait for an atomic of
   another size than int, and semaphores read their counter once more before they look, which is how they can sleep for ever.

   In a program that runs without Raddle all is the library's own, and in versions of it that are not known. */
#ifndef RADDLE_ATOMIC_WAIT_H
#define RADDLE_ATOMIC_WAIT_H

#include <bits/c++config.h>

#pragma GCC system_header

#if __cplusplus >= 202002L && defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE == 12

extern "C" int __raddle_is_modelled(void) noexcept;
extern "C" int __raddle_lost_exchange(void) noexcept;
extern "C" void __raddle_atomic_wait(const void*, unsigned, const void*) noexcept;
extern "C" void __raddle_atomic_notify(const void*, int) noexcept;

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
  namespace __detail
  {
    /* Chosen before the library's own where a semaphore waits. As often as it looks, it can find no more than at once, unless
       another thread has changed the counter between a look and the exchange behind it: then it looks once more. */
    struct __default_spin_policy;

    template<typename _Pred>
      bool __atomic_spin(_Pred& __pred, __default_spin_policy) noexcept;
  }
_GLIBCXX_END_NAMESPACE_VERSION
}

#define __atomic_wait_address_v __library_wait_address_v
#define __atomic_wait_address __library_wait_address
#define __atomic_notify_address __library_notify_address

#include_next <bits/atomic_wait.h>

#undef __atomic_wait_address_v
#undef __atomic_wait_address
#undef __atomic_notify_address

#ifdef __cpp_lib_atomic_wait
namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
  namespace __detail
  {
    template<typename _Pred>
      bool
      __atomic_spin(_Pred& __pred, __default_spin_policy) noexcept
      {
	if (__raddle_is_modelled())
	  {
	    for (auto __i = 0; __i < __atomic_spin_count; ++__i)
	      {
		if (__pred())
		  return true;
		if (!__raddle_lost_exchange())
		  return false;
	      }
	    return false;
	  }
	return __detail::__atomic_spin<_Pred, __default_spin_policy>(__pred, __default_spin_policy());
      }
  }

  /* Waits until the value that is read so is another one than this. */
  template<typename _Tp, typename _ValFn>
    void
    __atomic_wait_address_v(const _Tp* __addr, _Tp __old, _ValFn __vfn) noexcept
    {
      if constexpr (sizeof(_Tp) <= 8 && !(sizeof(_Tp) & (sizeof(_Tp) - 1)))
	if (__raddle_is_modelled())
	  {
	    while (__detail::__atomic_compare(__old, __vfn()))
	      __raddle_atomic_wait(__addr, sizeof(_Tp), std::__addressof(__old));
	    return;
	  }
      std::__library_wait_address_v(__addr, __old, __vfn);
    }

  /* Waits until this holds, which reads the value. */
  template<typename _Tp, typename _Pred>
    void
    __atomic_wait_address(const _Tp* __addr, _Pred __pred) noexcept
    {
      if (!__raddle_is_modelled())
	return std::__library_wait_address(__addr, __pred);
      while (!__pred())
	__raddle_atomic_wait(__addr, sizeof(_Tp), nullptr);
    }

  template<typename _Tp>
    void
    __atomic_notify_address(const _Tp* __addr, bool __all) noexcept
    {
      if constexpr (sizeof(_Tp) <= 8 && !(sizeof(_Tp) & (sizeof(_Tp) - 1)))
	if (__raddle_is_modelled())
	  return __raddle_atomic_notify(__addr, __all || !__platform_wait_uses_type<_Tp>);
      std::__library_notify_address(__addr, __all);
    }
_GLIBCXX_END_NAMESPACE_VERSION
}
#endif

#else
#include_next <bits/atomic_wait.h>
#endif

#endif
