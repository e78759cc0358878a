//! Futexes: what std's own locks and parking inside a program come down to.
//!
//! A wait is a step that looks at the word and enters the queue, and after a wake a second step
//! (recorded as the wake of that object) in which the thread goes on.

use super::condvar::note_woken;
use super::event;
use crate::kernel::follow::choose_among;
use crate::kernel::inline::pass_choosing;
use crate::kernel::k;
use crate::kernel::point::{pass, wait_to_be_woken};
use crate::kernel::sleep::differs;
use raddle_schedule::{Choice, OpKind, flags};

/// How a wait ended.
#[derive(PartialEq, Eq)]
pub enum Waited {
    /// Woken.
    Woken,
    /// The word had another value.
    Changed,
    /// Its time was over.
    TimedOut,
}

/// Waits while the word has the expected value.
///
/// # Safety
/// `word` must be readable.
pub unsafe fn wait(word: *const u32, expected: u32, timed: bool, site: u32) -> Waited {
    // SAFETY: the caller's promise.
    unsafe { wait_sized(word as u64, 4, u64::from(expected), timed, site) }
}

/// Waits while the word of 1, 2, 4 or 8 bytes has the expected value.
///
/// # Safety
/// It must be readable and aligned.
pub unsafe fn wait_sized(object: u64, size: u32, expected: u64, timed: bool, site: u32) -> Waited {
    let mut enter = event(OpKind::FutexWait, object, site);
    enter.set_access(raddle_schedule::Order::Relaxed, size);
    k().me().expected = Some(expected);
    pass(enter, true);
    k().me().expected = None;
    // SAFETY: the caller's promise; no other thread runs.
    if unsafe { differs(object, size, expected) } {
        if let Some(event) = k().last_event() {
            event.flags |= flags::FAILED;
        }
        return Waited::Changed;
    }
    let kernel = k();
    let bit = kernel.my_bit();
    kernel.objects.get(object).waiters |= bit;
    kernel.enabled &= !bit;
    if timed {
        kernel.timeouts |= bit;
    }
    kernel.me().timed_out = false;
    let mut wake = event(OpKind::CondWake, object, site);
    wake.flags = if timed { flags::TIMED } else { 0 };
    wait_to_be_woken(wake);
    if core::mem::take(&mut k().me().timed_out) {
        k().objects.get(object).waiters &= !bit;
        return Waited::TimedOut;
    }
    Waited::Woken
}

/// Wakes up to `most` waiters; one of several is a choice. Returns how many.
pub fn wake(word: *const u32, most: u32, site: u32) -> u32 {
    let object = word as u64;
    let several = most == 1 && k().objects.get(object).waiters.count_ones() > 1;
    pass_choosing(event(OpKind::FutexWake, object, site), several);
    let mut woken: u64 = 0;
    while woken.count_ones() < most {
        let waiters = k().objects.get(object).waiters;
        if waiters == 0 {
            break;
        }
        let chosen = if most == 1 && waiters.count_ones() > 1 {
            choose_among(waiters, Choice::Waiter)
        } else {
            waiters.trailing_zeros() as u8
        };
        let kernel = k();
        kernel.objects.get(object).waiters &= !(1 << chosen);
        kernel.timeouts &= !(1 << chosen);
        kernel.enabled |= 1 << chosen;
        woken |= 1 << chosen;
    }
    note_woken(woken);
    woken.count_ones()
}
