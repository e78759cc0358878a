//! What `raddle.h` offers to C programs.

use crate::entry;
use crate::interpose::{modelled, site};
use crate::kernel::follow::choose_among;
use crate::kernel::inline::pass_choosing;
use crate::kernel::k;
use crate::kernel::point::{end_execution, pass};
use crate::model::event;
use core::ffi::{CStr, c_char, c_int};
use raddle_schedule::event::block;
use raddle_schedule::{Choice, OpKind, Outcome};

/// Values that one choice can have.
const MOST: u32 = 64;

entry! {
    /// A number from 0 to n-1; all of them are explored.
    fn raddle_choose / choose(n: u32) -> u32, 1, caller {
        if !modelled() || n == 0 {
            return 0;
        }
        if n > MOST {
            end_execution(Outcome::Unsupported, 0, "raddle_choose: at most 64 values");
        }
        pass_choosing(event(OpKind::Input, 0, site(caller)), n > 1);
        if n == 1 {
            return 0;
        }
        let value = choose_among(u64::MAX >> (64 - n), |v| Choice::Input(u16::from(v)));
        if let Some(event) = k().last_event() {
            event.value = u64::from(value);
        }
        u32::from(value)
    }
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
        if modelled() {
            let outermost = k().me().no_points == 0;
            let mut begin = event(OpKind::Point, 0, site(caller));
            begin.value = if outermost { block::BEGIN } else { 0 };
            pass(begin, true);
            k().me().no_points += 1;
        }
    }
}

entry! {
    /// The end of the block.
    fn raddle_atomic_end / atomic_end() -> (), 0, caller {
        if modelled() && k().me().no_points > 0 {
            k().me().no_points -= 1;
            if k().me().no_points == 0 {
                let mut end = event(OpKind::Point, 0, site(caller));
                end.value = block::END;
                k().inline(end);
            }
        }
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
