//! What `raddle.h` offers to C programs.

use crate::entry;
use crate::interpose::refused::called_at;
use crate::interpose::{modelled, site};
use crate::kernel::follow::choose_among;
use crate::kernel::inline::pass_choosing;
use crate::kernel::k;
use crate::kernel::point::{end_execution, pass};
use crate::model::event;
use alloc::format;
use core::ffi::{CStr, c_char, c_int, c_void};
use raddle_schedule::event::block;
use raddle_schedule::{CHOICES, Choice, OpKind, Outcome};

/// Values that one choice can have ([`CHOICES`] says so).
const MOST: u32 = 64;

entry! {
    /// A number from 0 to n-1; all of them are explored.
    fn raddle_choose / choose(n: u32) -> u32, 1, caller {
        if !modelled() {
            return 0;
        }
        if n == 0 || n > MOST {
            k().end.site = called_at(caller);
            end_execution(Outcome::Unsupported, 0, &format!("raddle_choose({n}) {CHOICES}"));
        }
        choose_input(0, n, site(caller), u64::from) as u32
    }
}

/// An atomic block begins, by a call that goes on at this address.
pub fn begin_block(caller: *const c_void) {
    if modelled() {
        let outermost = k().me().no_points == 0;
        let mut begin = event(OpKind::Point, 0, site(caller));
        begin.value = if outermost { block::BEGIN } else { 0 };
        pass(begin, true);
        k().me().no_points += 1;
    }
}

/// It ends.
pub fn end_block(caller: *const c_void) {
    if modelled() && k().me().no_points > 0 {
        k().me().no_points -= 1;
        if k().me().no_points == 0 {
            let mut end = event(OpKind::Point, 0, site(caller));
            end.value = block::END;
            k().inline(end);
        }
    }
}

/// Chooses one of `n` values, from 0, as an input with this number ([`raddle_schedule::input::name`]; 0 for none), which is
/// what `value` makes of the choice.
pub fn choose_input(number: u64, n: u32, site: u32, value: impl Fn(u8) -> u64) -> u64 {
    pass_choosing(event(OpKind::Input, number, site), n > 1);
    let chosen = if n == 1 { 0 } else { choose_among(u64::MAX >> (64 - n), |v| Choice::Input(u16::from(v))) };
    let value = value(chosen);
    if let Some(event) = k().last_event() {
        event.value = value;
    }
    value
}

/// Gives up executions in which the condition does not hold.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_assume(condition: c_int) {
    if modelled() && condition == 0 {
        end_execution(Outcome::AssumeBlocked, 0, "");
    }
}

entry! {
    /// Fails the test when the condition does not hold.
    fn raddle_assert_at / assert_at(condition: c_int, message: *const c_char) -> (), 2, caller {
        if condition != 0 || !modelled() {
            return;
        }
        // SAFETY: the macro's string, or the user's.
        let text = unsafe { CStr::from_ptr(message) }.to_string_lossy();
        k().end.site = site(caller);
        k().end.pc = caller as u64;
        end_execution(Outcome::Assertion, 0, &text)
    }
}

entry! {
    /// No other thread runs until the end of the block, unless this one blocks.
    fn raddle_atomic_begin / atomic_begin() -> (), 0, caller {
        begin_block(caller)
    }
}

entry! {
    /// The end of the block.
    fn raddle_atomic_end / atomic_end() -> (), 0, caller {
        end_block(caller)
    }
}

entry! {
    /// A schedule point.
    fn raddle_point / point() -> (), 0, caller {
        if modelled() {
            pass(event(OpKind::Point, 0, site(caller)), true);
        }
    }
}
