//! What the thread that a failed assertion ended had on its stack, so that a report can say what the variables of the
//! assertion were. Where its frames begin libgcc's unwinder knows.

use super::Kernel;
use super::contents::{has_value, peek};
use alloc::vec::Vec;
use core::ffi::{c_int, c_void};
use raddle_schedule::Event;
use raddle_schedule::memory::{Frame, Moment};

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
        let frames = frames();
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

/// The frames of the running thread, innermost first.
fn frames() -> Vec<Frame> {
    unsafe extern "C" {
        fn _Unwind_Backtrace(
            step: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
            argument: *mut c_void,
        ) -> c_int;
        fn _Unwind_GetIP(context: *mut c_void) -> usize;
        fn _Unwind_GetCFA(context: *mut c_void) -> usize;
    }
    extern "C" fn step(context: *mut c_void, frames: *mut c_void) -> c_int {
        // SAFETY: the unwinder hands back the argument given below and a valid context.
        let (frames, frame) = unsafe {
            let (code, stack) = (_Unwind_GetIP(context) as u64, _Unwind_GetCFA(context) as u64);
            (&mut *frames.cast::<Vec<Frame>>(), Frame { code, stack })
        };
        frames.push(frame);
        // 0 goes on, 5 (end of stack) stops.
        if frames.len() < FRAMES { 0 } else { 5 }
    }
    let mut frames: Vec<Frame> = Vec::with_capacity(FRAMES);
    let active = super::active();
    super::set_active(false);
    // SAFETY: libgcc's unwinder; the callback matches its type, the vector outlives the call.
    unsafe { _Unwind_Backtrace(step, (&raw mut frames).cast()) };
    super::set_active(active);
    frames
}
