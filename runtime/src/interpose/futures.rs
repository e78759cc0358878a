//! Calls of our header in the place of that of C++'s library, about the state of a `std::future`
//! (`runtime/include/first/bits/atomic_futex.h`).

use super::code_site;
use crate::entry_here;
use crate::model::set_once;
use core::ffi::c_int;
use raddle_schedule::Order;

entry_here! {
    /// Blocks until the future is ready.
    fn __raddle_future_wait / future_wait(state: *const u32, order: c_int) -> (), 2, here {
        // SAFETY: the library's own state, which the caller's future keeps alive.
        unsafe { set_once::wait(state, Order::from_abi(order), code_site(here.caller as u64), here) };
    }
}

entry_here! {
    /// Makes the future ready. Returns what the state was, with the bit that says whether a thread waits with a time limit.
    fn __raddle_future_set / future_set(state: *mut u32, value: u32, order: c_int) -> u32, 3, here {
        // SAFETY: the library's own state.
        unsafe { set_once::set(state, value, Order::from_abi(order), code_site(here.caller as u64)) }
    }
}
