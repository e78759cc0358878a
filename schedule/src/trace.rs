//! Traces: what an execution did and how it ended.

use crate::aside::Aside;
use crate::channel::wire;
use crate::event::Event;
use crate::hash;
use crate::leak::Leaked;
use crate::memory::Memory;
use crate::misuse::{Destroyed, Misuse};
use crate::windows::Windows;
use alloc::string::String;
use alloc::vec::Vec;

/// How an execution ended. The numbers are part of the channel's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum Outcome {
    /// The test returned and every thread ended.
    #[default]
    Passed = 0,
    /// The test's body panicked, or did not although it should have.
    Panic = 1,
    /// An `assert` of C, `raddle_assert` or `reach_error`.
    Assertion = 2,
    /// A fatal signal; its number is in [`Trace::code`].
    Crash = 3,
    /// `exit` or a return from main with the non-zero status in [`Trace::code`].
    Exit = 4,
    /// No thread can run, some have not ended, and T0 is one of them.
    Deadlock = 5,
    /// All unfinished threads spin without effect.
    Livelock = 6,
    /// It ran too long without a schedule point.
    Hang = 7,
    /// Cut off at the step bound.
    Truncated = 8,
    /// `raddle_assume` of something false.
    AssumeBlocked = 9,
    /// Every enabled thread was asleep (sleep sets).
    SleepBlocked = 10,
    /// The prefix did not produce the events it should have, from step [`Trace::code`].
    Diverged = 11,
    /// A delta could not be followed at step [`Trace::code`]: the message says why.
    Unfollowable = 12,
    /// The program used something that Raddle does not control; the message names it.
    Unsupported = 13,
}

impl Outcome {
    /// From its number.
    pub fn from_u8(n: u8) -> Option<Self> {
        use Outcome::*;
        [
            Passed,
            Panic,
            Assertion,
            Crash,
            Exit,
            Deadlock,
            Livelock,
            Hang,
            Truncated,
            AssumeBlocked,
            SleepBlocked,
            Diverged,
            Unfollowable,
            Unsupported,
        ]
        .into_iter()
        .find(|o| *o as u8 == n)
    }

    /// Is it a failure of the program under test?
    pub fn is_failure(self) -> bool {
        use Outcome::*;
        matches!(self, Panic | Assertion | Crash | Exit | Deadlock | Livelock | Hang)
    }
}

/// The code of an execution with [`Outcome::AssumeBlocked`] in which a thread made no step more, since its round was in vain
/// ([`crate::plan::flags::ONE_ROUND`]).
pub const STOOD: u32 = 1;

/// A call stack recorded at an event (only with [`crate::plan::flags::DETAIL`]).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Stack {
    /// Index of the event in [`Trace::events`]; one past the last for the place where it ended.
    pub event: u32,
    /// Return addresses, innermost first.
    pub frames: Vec<u64>,
}

/// One execution: its events and its end.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Trace {
    /// Number of the plan it answers.
    pub sequence: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// Signal number, exit status, or step of a divergence; of a panic 1 if the test did not end by it, but
    /// its harness found that it failed.
    pub code: u32,
    /// Thread that was running at the end.
    pub thread: u8,
    /// The process died with the events: how it ended is known, and nothing of what it did. Set
    /// by whoever watches the process; not sent.
    pub lost: bool,
    /// T0's body had returned (threads blocked after that are a warning, not a deadlock).
    pub main_returned: bool,
    /// A block of the heap was given back.
    pub gave_back: bool,
    /// A thread that waited in a loop looked once more, when nobody could run, and got on: it goes by what no hook tells.
    pub looked: bool,
    /// Loops that the executor has found in all, in plans with [`crate::plan::flags::ONE_ROUND`].
    pub loops: u8,
    /// Mask of threads that were still blocked at the end.
    pub blocked: u64,
    /// Steps executed.
    pub steps: u32,
    /// Hash over all steps and choices.
    pub hash: u64,
    /// Site (index into the site table) of the failure, where it is known; 0 otherwise.
    pub site: u32,
    /// Address the program stopped at: the instruction of a fault, the caller of abort.
    pub pc: u64,
    /// All events, annotations included.
    pub events: Vec<Event>,
    /// What a panic or an assertion said, what could not be followed, which function is not modelled.
    pub message: String,
    /// What was destroyed, in the order in which it was.
    pub destroyed: Vec<Destroyed>,
    /// Atomic operations that are no steps, in their order.
    pub asides: Vec<Aside>,
    /// The blocks that were lost; `None` where nobody looked.
    pub leaked: Option<Vec<Leaked>>,
    /// What ended it, if that was misuse.
    pub misuse: Option<Misuse>,
    /// What the program printed (only with [`crate::plan::flags::CAPTURE`]).
    pub output: Vec<u8>,
    /// Call stacks (only with [`crate::plan::flags::DETAIL`]).
    pub stacks: Vec<Stack>,
    /// What memory held (only with [`crate::plan::flags::DETAIL`]).
    pub memory: Memory,
    /// The events that are told in detail, beside steps. Set by whoever asked for them; not sent.
    pub windows: Windows,
    /// Names of threads that have one (only with [`crate::plan::flags::DETAIL`]).
    pub thread_names: Vec<(u8, String)>,
    /// Panics of threads other than the test's in this execution.
    pub thread_panics: Vec<ThreadPanic>,
}

/// A panic of a thread other than the test's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadPanic {
    /// The thread that panicked.
    pub thread: u8,
    /// The site of the panic; 0 where no hook was told of it.
    pub site: u32,
    /// Another thread joined it, and was told.
    pub is_joined: bool,
    /// The panic's message.
    pub message: String,
}

impl ThreadPanic {
    /// As the payload of a [`wire::THREAD_PANIC`] record.
    pub fn encode(&self, out: &mut Vec<u64>) {
        wire::pack_text(self.site, self.message.as_bytes(), out);
        out.insert(0, u64::from(self.thread) | u64::from(self.is_joined) << 8);
    }

    pub(crate) fn decode(words: &[u64]) -> Option<ThreadPanic> {
        let (first, rest) = words.split_first()?;
        let (site, message) = wire::unpack_text(rest)?;
        let (thread, is_joined) = (*first as u8, first >> 8 & 1 != 0);
        Some(ThreadPanic { thread, site, is_joined, message: String::from_utf8_lossy(message).into_owned() })
    }
}

impl Trace {
    /// Makes it empty but keeps its memory.
    pub fn clear(&mut self) {
        let events = core::mem::take(&mut self.events);
        *self = Trace { events, ..Trace::default() };
        self.events.clear();
    }

    /// Is an event told in detail? Every step is; of other accesses those in [`Trace::windows`].
    pub fn is_told(&self, index: usize) -> bool {
        let is_plain = |e: &Event| e.kind().is_data() && !e.is_step();
        self.windows.are_all()
            || self.windows.cover(index as u32)
            || self.events.get(index).is_none_or(|e| !is_plain(e))
    }

    /// Hash of the first `steps` steps with the choices made at them.
    pub fn prefix_hash(&self, steps: u32) -> u64 {
        let mut seen = 0;
        let mut h = hash::EMPTY;
        for e in &self.events {
            if e.raw_kind() == crate::OpKind::Choice as u8 {
                h = hash::step(h, e);
            } else if e.is_step() {
                if seen == steps {
                    break;
                }
                seen += 1;
                h = hash::step(h, e);
            }
        }
        h
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_round_trip() {
        let all: Vec<_> = (0..=255).filter_map(Outcome::from_u8).collect();
        assert_eq!(all.len(), 14);
        for o in all {
            assert_eq!(Outcome::from_u8(o as u8), Some(o));
        }
    }
}
