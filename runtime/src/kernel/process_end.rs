//! The end of the process while other threads are left: a step of the thread that ends it
//! ([`raddle_schedule::ending`] says when it can be made).

use super::point::{end_execution, pass, wait_for_turn};
use super::{Kernel, k};
use alloc::string::String;
use raddle_schedule::ending::alternatives;
use raddle_schedule::{Event, OpKind, Outcome, flags};

/// How the process ends, and where it is ended: as a site and, for a crash, as an address.
pub struct Ends {
    /// How the execution is judged.
    pub outcome: Outcome,
    /// Its status or signal.
    pub code: u32,
    /// Where, as a site.
    pub site: u32,
    /// Where, as an address; 0 for none.
    pub pc: u64,
    /// What is said of it.
    pub message: String,
}

/// The running thread ends the process. Others who are left may be heard first.
pub fn end_process(ends: Ends) -> ! {
    let kernel = k();
    if !kernel.is_alone() {
        let mut event = Event::new(OpKind::End, kernel.current, 0);
        event.site = ends.site;
        let waits = ends.outcome == Outcome::Passed;
        event.value = u64::from(!waits);
        if waits {
            kernel.ending |= kernel.my_bit();
        }
        pass(event, !waits);
    }
    let kernel = k();
    kernel.end.site = ends.site;
    kernel.end.pc = ends.pc;
    end_execution(ends.outcome, ends.code, &ends.message)
}

/// Main has returned, and the process ends when the other threads do: or before, where they only repeat themselves.
pub fn end_beside_rounds() -> ! {
    let kernel = k();
    kernel.ending |= kernel.my_bit();
    kernel.me().pending = Event::new(OpKind::End, kernel.current, 0);
    wait_for_turn();
    k().execute_pending();
    end_execution(Outcome::Passed, 0, "")
}

impl Kernel {
    /// Who can be chosen, and who of the others can time out.
    #[inline]
    pub(super) fn choosable(&self) -> (u64, u64) {
        // Whoever can go on does not time out.
        let (enabled, timeouts) = (self.enabled, self.timeouts & !self.enabled);
        if self.ending == 0 {
            return (enabled, timeouts);
        }
        self.before_the_end(enabled, timeouts)
    }

    /// The same where somebody is about to end the process.
    #[cold]
    fn before_the_end(&self, enabled: u64, timeouts: u64) -> (u64, u64) {
        let mut repeating = 0;
        let mut left = enabled | timeouts;
        while left != 0 {
            let t = left.trailing_zeros() as usize;
            left &= left - 1;
            let thread = &self.threads[t];
            let gives_way = matches!(thread.pending.kind(), OpKind::Yield | OpKind::Sleep);
            // A thread that was woken does not time out, and gets on.
            let rests = gives_way || thread.pending.flags & flags::TIMED != 0 && enabled >> t & 1 == 0;
            repeating |= u64::from(rests && thread.rounds.repeats(thread.pending.site)) << t;
        }
        // A thread that is over ends the process beside those that can go on, and no deadlock of others.
        let left = enabled | timeouts != 0;
        let ending = if left { self.ending } else { self.ending & !self.finished };
        alternatives(enabled, timeouts, ending, repeating)
    }

    /// Notes a step by which its thread has yielded, slept or timed out.
    #[inline]
    pub(super) fn note_round(&mut self, event: &Event) {
        if matches!(event.kind(), OpKind::Yield | OpKind::Sleep | OpKind::Timeout) {
            self.me().rounds.made(event.site);
        }
    }
}
