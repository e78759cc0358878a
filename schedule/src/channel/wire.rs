//! Traces as records: their pieces in the order in which they are sent.

use crate::aside::Aside;
use crate::event::Event;
use crate::leak::Leaked;
use crate::misuse::{Destroyed, Misuse};
use crate::trace::{Outcome, Stack, ThreadPanic, Trace};
use alloc::string::String;

/// A run of events.
pub const EVENTS: u32 = 1;
/// What a panic or an assertion said.
pub const MESSAGE: u32 = 2;
/// A piece of the program's output.
pub const OUTPUT: u32 = 3;
/// A call stack: the event's index, then return addresses.
pub const STACK: u32 = 4;
/// The name of a thread: its number, then the text.
pub const THREAD_NAME: u32 = 5;
/// A thread's panic ([`ThreadPanic`]).
pub const THREAD_PANIC: u32 = 6;
/// What a thread did that is undefined; see [`Misuse`].
pub const MISUSE: u32 = 13;
/// What was destroyed; see [`Destroyed`].
pub const DESTROYED: u32 = 14;
/// Atomic operations that are no steps; see [`Aside`].
pub const ASIDES: u32 = 15;
/// Blocks that were lost, perhaps none; see [`Leaked`].
pub const LEAKED: u32 = 16;
/// The end of the trace; see [`End`].
pub const END: u32 = 7;
/// A plan (in the other direction).
pub const PLAN: u32 = 8;
/// What memory held at an event ([`crate::memory::Held`]).
pub const HELD: u32 = 9;
/// The name of a type, whose numbers follow the order of these records.
pub const TYPE: u32 = 10;
/// What an event means: its index, and a [`crate::memory::Meaning`] above it.
pub const MEANING: u32 = 11;
/// A block of the heap ([`crate::memory::Block`]).
pub const BLOCK: u32 = 12;

/// A frame of the thread that ended the execution ([`crate::memory::Frame`]), innermost first.
pub const FRAME: u32 = 20;
/// A piece of that thread's stack: its address, then the bytes.
pub const STACK_BYTES: u32 = 21;
/// A panic of Rust, where it happened ([`crate::memory::Panicked`]).
pub const PANICKED: u32 = 22;
/// A variable of the environment that is not set ([`crate::memory::Unset`]).
pub const UNSET: u32 = 23;

/// What closes a trace: everything of fixed size.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct End {
    pub sequence: u64,
    pub outcome: Outcome,
    pub code: u32,
    pub thread: u8,
    pub main_returned: bool,
    pub gave_back: bool,
    pub looked: bool,
    pub loops: u8,
    pub blocked: u64,
    pub steps: u32,
    pub site: u32,
    pub hash: u64,
    pub pc: u64,
}

impl End {
    /// As the payload of an [`END`] record.
    pub fn encode(&self) -> [u64; 7] {
        let bits = [self.main_returned, self.gave_back, self.looked];
        let bits = bits.iter().rev().fold(0, |bits, bit| bits << 1 | u64::from(*bit));
        let small = self.outcome as u64 | u64::from(self.thread) << 8 | bits << 16;
        [
            self.sequence,
            small | u64::from(self.code) << 32,
            u64::from(self.steps) | u64::from(self.site) << 32,
            self.hash,
            self.pc,
            self.blocked,
            u64::from(self.loops),
        ]
    }
}

/// Text with a number before it, packed into words: number and length, then the bytes.
pub fn pack_text(number: u32, text: &[u8], out: &mut alloc::vec::Vec<u64>) {
    out.clear();
    out.push(u64::from(number) | (text.len() as u64) << 32);
    for chunk in text.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        out.push(u64::from_le_bytes(word));
    }
}

/// Number and bytes of [`pack_text`].
pub(crate) fn unpack_text(words: &[u64]) -> Option<(u32, &[u8])> {
    let (first, rest) = words.split_first()?;
    let len = (first >> 32) as usize;
    // SAFETY: any initialised words can be read as bytes.
    let bytes = unsafe { core::slice::from_raw_parts(rest.as_ptr().cast::<u8>(), rest.len() * 8) };
    Some((*first as u32, bytes.get(..len)?))
}

fn text(words: &[u64]) -> Option<(u32, String)> {
    unpack_text(words).map(|(n, b)| (n, String::from_utf8_lossy(b).into_owned()))
}

/// Adds one record to the trace being received. `Ok(true)` when that was its end; `Err` when the
/// record is not one of a trace.
#[allow(clippy::result_unit_err)]
pub fn receive(trace: &mut Trace, kind: u32, words: &[u64]) -> Result<bool, ()> {
    match kind {
        EVENTS => {
            const WORDS: usize = size_of::<Event>() / 8;
            let n = words.len() / WORDS;
            // SAFETY: `Event` is repr(C), 32 bytes, aligned to 8, and valid for any bits; the
            // slice is at least n events long.
            let events = unsafe { core::slice::from_raw_parts(words.as_ptr().cast::<Event>(), n) };
            trace.events.extend_from_slice(events);
        }
        MESSAGE => trace.message = text(words).ok_or(())?.1,
        OUTPUT => trace.output.extend_from_slice(unpack_text(words).ok_or(())?.1),
        STACK => {
            let (event, frames) = words.split_first().ok_or(())?;
            trace.stacks.push(Stack { event: *event as u32, frames: frames.to_vec() });
        }
        THREAD_NAME => {
            let (t, name) = text(words).ok_or(())?;
            trace.thread_names.push((t as u8, name));
        }
        THREAD_PANIC => {
            trace.thread_panics.push(ThreadPanic::decode(words).ok_or(())?);
        }
        ASIDES => trace.asides.extend(Aside::decode(words).ok_or(())?),
        DESTROYED => trace.destroyed.extend(Destroyed::decode(words).ok_or(())?),
        LEAKED => trace.leaked.get_or_insert_default().extend(Leaked::decode(words).ok_or(())?),
        MISUSE => trace.misuse = Some(Misuse::decode(words).ok_or(())?),
        END => {
            let words: &[u64; 7] = words.try_into().map_err(|_| ())?;
            trace.sequence = words[0];
            trace.outcome = Outcome::from_u8(words[1] as u8).ok_or(())?;
            trace.thread = (words[1] >> 8) as u8;
            trace.main_returned = words[1] >> 16 & 1 != 0;
            trace.gave_back = words[1] >> 17 & 1 != 0;
            trace.looked = words[1] >> 18 & 1 != 0;
            trace.code = (words[1] >> 32) as u32;
            trace.steps = words[2] as u32;
            trace.site = (words[2] >> 32) as u32;
            trace.hash = words[3];
            trace.pc = words[4];
            trace.blocked = words[5];
            trace.loops = words[6] as u8;
            return Ok(true);
        }
        HELD | TYPE | MEANING | BLOCK | FRAME | STACK_BYTES | PANICKED | UNSET => {
            trace.memory.receive(kind, words).ok_or(())?;
        }
        _ => return Err(()),
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::OpKind;
    use alloc::vec::Vec;

    #[test]
    fn a_trace_survives_the_wire() {
        let mut trace = Trace::default();
        let e = Event::new(OpKind::Lock, 1, 0x1000);
        // SAFETY: an event is 4 words.
        let words = unsafe { core::slice::from_raw_parts((&raw const e).cast::<u64>(), 4) };
        assert_eq!(receive(&mut trace, EVENTS, words), Ok(false));
        let mut buffer = Vec::new();
        pack_text(0, "left: 1, right: 2".as_bytes(), &mut buffer);
        assert_eq!(receive(&mut trace, MESSAGE, &buffer), Ok(false));
        pack_text(2, b"worker", &mut buffer);
        assert_eq!(receive(&mut trace, THREAD_NAME, &buffer), Ok(false));
        let end = End {
            sequence: 9,
            outcome: Outcome::Exit,
            code: 3,
            thread: 1,
            main_returned: true,
            gave_back: true,
            looked: true,
            loops: 4,
            blocked: 2,
            steps: 5,
            site: 6,
            hash: 7,
            pc: 8,
        };
        assert_eq!(receive(&mut trace, END, &end.encode()), Ok(true));
        assert_eq!(trace.events, [e]);
        assert_eq!(trace.message, "left: 1, right: 2");
        assert_eq!(trace.thread_names, [(2, "worker".into())]);
        assert_eq!((trace.sequence, trace.outcome, trace.code), (9, Outcome::Exit, 3));
        assert_eq!((trace.thread, trace.main_returned, trace.blocked), (1, true, 2));
        assert!(trace.gave_back);
        assert_eq!((trace.looked, trace.loops), (true, 4));
        assert_eq!((trace.steps, trace.site, trace.hash, trace.pc), (5, 6, 7, 8));
        assert_eq!(receive(&mut trace, 99, &[]), Err(()));
        assert_eq!(receive(&mut trace, MESSAGE, &[100 << 32]), Err(()));
    }
}
