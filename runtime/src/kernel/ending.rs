//! What the thread that a failed assertion ended had on its stack, so that a report can say what the variables of the
//! assertion were. Where its frames begin libgcc's unwinder knows.

use super::Kernel;
use super::contents::{has_value, peek};
use super::unwind;
use alloc::vec::Vec;
use raddle_schedule::Event;
use raddle_schedule::memory::Moment;

/// Frames that are told, the runtime's own included.
const FRAMES: usize = 24;
/// Most bytes of stack that are told, and how many are read at once.
const STACK: u64 = 16 << 10;
const PIECE: u64 = 512;
/// So many of the thread's last events are looked at again.
const EVENTS: usize = 256;

impl Kernel {
    /// The running thread is about to end the execution: tells its frames, and what lies where it has worked.
    #[cold]
    #[inline(never)]
    pub fn tell_ending(&mut self) {
        self.settle();
        let frames = self.without_check(unwind::frames(FRAMES), |frame| frame.code);
        if let (Some(first), Some(last)) = (frames.first(), frames.last()) {
            self.contents.memory.stack = (first.stack, stack(first.stack, last.stack));
        }
        self.contents.memory.frames = frames;
        let own = |e: &Event| e.thread() == self.current && has_value(e);
        let recent = self.events.iter().enumerate().rev().filter(|(_, e)| own(e)).take(EVENTS);
        let mut told: Vec<(u64, u32)> = Vec::new();
        for (index, e) in recent.map(|(i, e)| (i as u32, *e)).collect::<Vec<_>>() {
            if !told.contains(&(e.object(), e.size())) {
                told.push((e.object(), e.size()));
                self.contents.tell(index, Moment::End, (e.object(), e.size() as usize), 0, 0);
            }
        }
    }
}

impl Kernel {
    /// The frames of the running thread, innermost first, without those of the check that ends the execution
    /// ([`End::within`](super::End::within)).
    pub fn without_check<T>(&self, mut frames: Vec<T>, code: impl Fn(&T) -> u64) -> Vec<T> {
        let within = |f: &T| self.end.within != 0 && code(f) == self.end.within;
        if let Some(first) = frames.iter().position(within) {
            frames.drain(..first);
        }
        frames
    }
}

/// The stack between two addresses, as far as it can be read and is not too much.
fn stack(from: u64, to: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let to = to.clamp(from, from + STACK);
    for at in (from..to).step_by(PIECE as usize) {
        let Some(piece) = peek(at, PIECE.min(to - at) as usize) else { break };
        bytes.extend_from_slice(&piece);
    }
    bytes
}
