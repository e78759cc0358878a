//! The running thread's stack, as libgcc's unwinder walks it.

use crate::model::stacks;
use alloc::vec::Vec;
use core::ffi::{c_int, c_void};
use raddle_schedule::memory::Frame;

/// Frames found so far, and how many are wanted.
struct Walk {
    frames: Vec<Frame>,
    most: usize,
}

/// The frames of the running thread, innermost first, the runtime's own included; at most so many, and at least one.
pub fn frames(most: usize) -> Vec<Frame> {
    unsafe extern "C" {
        fn _Unwind_Backtrace(
            step: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
            argument: *mut c_void,
        ) -> c_int;
        fn _Unwind_GetIP(context: *mut c_void) -> usize;
        fn _Unwind_GetCFA(context: *mut c_void) -> usize;
    }
    extern "C" fn step(context: *mut c_void, walk: *mut c_void) -> c_int {
        // SAFETY: the unwinder hands back the argument given below and a valid context.
        let (walk, frame) = unsafe {
            let (code, stack) = (_Unwind_GetIP(context) as u64, _Unwind_GetCFA(context) as u64);
            (&mut *walk.cast::<Walk>(), Frame { code, stack })
        };
        walk.frames.push(frame);
        // 0 goes on, 5 (end of stack) stops.
        if walk.frames.len() < walk.most { 0 } else { 5 }
    }
    let mut walk = Walk { frames: Vec::with_capacity(most), most };
    let active = super::active();
    super::set_active(false);
    // The unwinder calls functions that this library has, which are none of the thread's own calls.
    let entered = stacks::entered();
    // SAFETY: libgcc's unwinder; the callback matches its type, what it is given outlives the call.
    unsafe { _Unwind_Backtrace(step, (&raw mut walk).cast()) };
    stacks::enters(entered);
    super::set_active(active);
    walk.frames
}
