/* Before libstdc++'s own, for every compilation by `raddle c++`: the lock of a std::atomic<std::shared_ptr> (C++20), a bit of its
   pointer. A load gives it back relaxed, though it has read what the next one who takes it writes: by the letter of C++ that is a
   race, but the library's own, which no program can help. Here it gives it back as a lock. So two loads are in order, which C++ does
   not say: a race of the program's that only they keep apart is not seen, and the guarantee names that.

   Who finds it taken reads it again and again; that the value which was read is all that this loop goes by is said in front of
   its read, since registers and stack do not show it for every compiler. */
#ifndef RADDLE_SHARED_PTR_ATOMIC_H
#define RADDLE_SHARED_PTR_ATOMIC_H

#include <bits/c++config.h>

#pragma GCC system_header

#if __cplusplus >= 202002L && defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE == 12

extern "C" void __raddle_pointer_lock(const void*) noexcept;

#include <bits/atomic_base.h>

#pragma push_macro("fetch_sub")
#pragma push_macro("__thread_relax")
#undef fetch_sub
#undef __thread_relax
#define fetch_sub(bit, order) fetch_sub(bit, __raddle_gives_back(order))
#define __thread_relax() __thread_relax(), (__current & _S_lock_bit ? __raddle_pointer_lock(&this->_M_val) : void())

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
  inline memory_order
  __raddle_gives_back(memory_order __o) noexcept
  { return __o == memory_order_seq_cst ? __o : memory_order_release; }
_GLIBCXX_END_NAMESPACE_VERSION
}

#include_next <bits/shared_ptr_atomic.h>

#pragma pop_macro("fetch_sub")
#pragma pop_macro("__thread_relax")

#else
#include_next <bits/shared_ptr_atomic.h>
#endif

#endif
