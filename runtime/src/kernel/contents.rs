//! What memory holds at each operation, in executions recorded in detail: for reports.
//!
//! Hooks come before what they announce, so at its record an operation's object still holds the old
//! value; and before the next hook of any kind what was announced is done, and nobody else has run: then
//! it holds the new one ([`Kernel::settle`]). An access that repeats an earlier one since the last
//! operation is no event of its own ([`super::record::Seen`]): what the last repetition leaves is told of the
//! earlier one. That is read once, before the next operation ([`Kernel::settle_repeated`]): a loop may repeat
//! an access millions of times.
//!
//! The program may be about to read what it must not. So memory is read by a system call, which fails
//! where a load would fault; where a sandbox forbids the call nothing is told.
//!
//! What lies under a lock of Rust is told by the facade, which knows the type ([`Kernel::guards`]).

use super::record::{backtrace, detailed};
use super::{Kernel, k, spin};
use crate::sys::call;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use raddle_schedule::memory::{Block, Held, MOST, Meaning, Memory, Moment, Panicked, Unset};
use raddle_schedule::{Event, OpKind, Outcome};

/// Most blocks whose allocation is remembered.
const MOST_BLOCKS: usize = 20_000;
/// Most panics that are remembered.
const MOST_PANICS: usize = 64;
/// Most variables of the environment that are remembered.
const MOST_UNSET: usize = 16;
/// Frames of each that are kept: the program's own are among the innermost.
const FRAMES: usize = 32;
/// So far back it is looked for what is told again.
const RECENT: usize = 64;

/// What was told of the execution so far.
#[derive(Default)]
pub struct Contents {
    /// For the trace.
    pub memory: Memory,
    /// Events that have written, or announced it, whose new values were not read yet, and as what these
    /// are told.
    announced: Vec<(u32, Moment)>,
    /// The writes since the last operation that are told in detail, and whether each was repeated.
    written: BTreeMap<(u64, u32), Written>,
    /// What lies under which lock.
    guarded: Vec<Guarded>,
    /// Types that have a number, by where their names lie.
    types: Vec<(usize, u16)>,
}

/// A write since the last operation.
#[derive(Clone, Copy)]
struct Written {
    event: u32,
    is_repeated: bool,
}

/// The data of a lock.
#[derive(Clone, Copy)]
struct Guarded {
    lock: u64,
    data: u64,
    size: usize,
    of_type: u16,
    /// Bytes of the lock itself.
    stride: u32,
}

impl Contents {
    /// A new execution.
    pub fn clear(&mut self) {
        self.memory = Memory::default();
        self.announced.clear();
        self.written.clear();
        self.guarded.clear();
        self.types.clear();
    }

    /// Tells what lies there now.
    pub fn tell(&mut self, event: u32, moment: Moment, (at, size): (u64, usize), of_type: u16, stride: u32) {
        let Some(bytes) = peek(at, size.min(MOST)) else { return };
        let told = Held { event, moment, of_type, stride, bytes };
        // What is told of it again takes the place of what was told, as far as that is not long ago.
        let mut recent = self.memory.held.iter_mut().rev().take(RECENT);
        match recent.find(|h| (h.event, h.moment) == (event, moment)) {
            Some(known) => *known = told,
            None => self.memory.held.push(told),
        }
    }

    /// The number of a type.
    fn number(&mut self, name: &'static str) -> u16 {
        let key = name.as_ptr() as usize;
        if let Some((_, number)) = self.types.iter().find(|(at, _)| *at == key) {
            return *number;
        }
        self.memory.types.push(String::from(name));
        let number = self.memory.types.len() as u16;
        self.types.push((key, number));
        number
    }
}

/// Reads memory of the program, if it can be read.
pub fn peek(at: u64, size: usize) -> Option<Vec<u8>> {
    let mut bytes = alloc::vec![0u8; size];
    let to = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: size };
    let from = libc::iovec { iov_base: at as *mut _, iov_len: size };
    // SAFETY: writes `size` bytes into a vector that has them; what cannot be read is an error.
    let read = unsafe {
        let own = call!(libc::SYS_getpid);
        call!(libc::SYS_process_vm_readv, own, &raw const to, 1, &raw const from, 1, 0)
    };
    (read == size as isize).then_some(bytes)
}

/// Has this event an object with a value of its own?
pub fn has_value(event: &Event) -> bool {
    let accesses = event.kind().is_atomic() || matches!(event.kind(), OpKind::Read | OpKind::Write);
    accesses && event.size() as usize <= 8
}

fn writes(event: &Event) -> bool {
    matches!(event.kind(), OpKind::Write | OpKind::AtomicStore | OpKind::AtomicRmw)
}

impl Kernel {
    /// Before an event is recorded: what was announced is done, and what it works on is as it was.
    pub(super) fn look_before(&mut self, event: &Event) {
        self.settle_aside(event);
        let index = self.events.len() as u32;
        if has_value(event) {
            let place = (event.object(), event.size() as usize);
            self.contents.tell(index, Moment::Before, place, 0, 0);
            if writes(event) {
                self.contents.announced.push((index, Moment::After));
            }
            if event.kind() == OpKind::Write && !event.is_step() {
                let written = Written { event: index, is_repeated: false };
                let earlier = self.contents.written.insert((event.identity(), event.size()), written);
                if let Some(earlier) = earlier.filter(|w| w.is_repeated) {
                    self.tell_written(earlier.event, Moment::Last);
                }
            }
            return;
        }
        let lock = match event.kind() {
            OpKind::Lock | OpKind::TryLock | OpKind::Unlock => event.object(),
            OpKind::CondEnqueue | OpKind::CondWake => event.value,
            _ => return,
        };
        self.tell_guarded(index, lock);
    }

    /// Before an event is recorded: what was announced is done, and where it is more than a plain access
    /// nothing is repeated any more.
    pub(super) fn settle_aside(&mut self, event: &Event) {
        self.settle();
        let accesses = matches!(event.kind(), OpKind::Read | OpKind::Write);
        if event.is_step() || !accesses {
            self.settle_repeated();
        }
    }

    /// Reads what the last repetition of each write has left.
    pub fn settle_repeated(&mut self) {
        for written in core::mem::take(&mut self.contents.written).into_values().filter(|w| w.is_repeated) {
            self.tell_written(written.event, Moment::Last);
        }
    }

    fn tell_written(&mut self, index: u32, moment: Moment) {
        let Some(event) = self.events.get(index as usize).copied() else { return };
        self.contents.tell(index, moment, (event.object(), event.size() as usize), 0, 0);
    }

    /// Reads what was written by what was announced.
    pub fn settle(&mut self) {
        for (index, moment) in core::mem::take(&mut self.contents.announced) {
            self.tell_written(index, moment);
        }
    }

    /// The execution is over. A write that crashed was announced and not done.
    pub(super) fn settle_last(&mut self) {
        if self.end.outcome == Outcome::Crash {
            self.contents.announced.pop();
        }
        self.settle();
        self.settle_repeated();
    }

    /// An access that was recorded since the last operation is made again.
    #[cold]
    pub fn repeats(&mut self, identity: u64, size: u32) {
        self.settle();
        if let Some(written) = self.contents.written.get_mut(&(identity, size)) {
            written.is_repeated = true;
        }
        spin::wipe();
    }

    fn tell_guarded(&mut self, event: u32, lock: u64) {
        let Some(g) = self.contents.guarded.iter().find(|g| g.lock == lock).copied() else { return };
        self.contents.tell(event, Moment::Before, (g.data, g.size), g.of_type, g.stride);
    }

    /// The running thread has taken this lock in its last step: under it lies this.
    pub fn guards(&mut self, lock: u64, stride: u32, (data, size): (u64, usize), of_type: &'static str) {
        let of_type = self.contents.number(of_type);
        let guarded = Guarded { lock, data, size, of_type, stride };
        match self.contents.guarded.iter_mut().find(|g| g.lock == lock) {
            Some(known) => *known = guarded,
            None => self.contents.guarded.push(guarded),
        }
        if let Some(event) = self.last_on(lock) {
            self.tell_guarded(event, lock);
        }
    }

    /// What the last operation of the running thread on this object means.
    pub fn means(&mut self, object: u64, meaning: Meaning) {
        let Some(event) = self.last_on(object) else { return };
        self.contents.memory.meanings.push((event, meaning));
        if matches!(meaning, Meaning::ReadUnlocks | Meaning::WriteUnlocks | Meaning::Downgrades) {
            self.tell_guarded(event, object);
        }
    }

    /// The running thread panics.
    pub fn panicked(&mut self, site: u32, message: &str) {
        let panics = &mut self.contents.memory.panics;
        if panics.len() < MOST_PANICS {
            let event = self.events.len() as u32;
            panics.push(Panicked { event, thread: self.current, site, message: message.to_string() });
        }
    }

    /// The running thread has asked for a variable of the environment that is not set.
    pub fn asked_for_unset(&mut self, name: &str) {
        let unset = &mut self.contents.memory.unset;
        if unset.len() < MOST_UNSET && !unset.iter().any(|known| known.name == name) {
            let mut frames = backtrace();
            spin::wipe_deep();
            frames.truncate(FRAMES);
            unset.push(Unset { name: name.to_string(), frames });
        }
    }

    /// Of this type is what the running thread's last operation has worked on.
    pub fn is_of(&mut self, of_type: &'static str) {
        let of_type = self.contents.number(of_type);
        let Some(event) = self.events.len().checked_sub(1) else { return };
        let of_event = |h: &&mut Held| h.event as usize == event;
        self.contents.memory.held.iter_mut().rev().take(4).filter(of_event).for_each(|h| h.of_type = of_type);
    }

    /// The running thread's last event on an object, if it was only just made.
    fn last_on(&self, object: u64) -> Option<u32> {
        let mine = |e: &Event| e.thread() == self.current && !e.kind().is_annotation();
        let recent = self.events.iter().enumerate().rev().take(16).filter(|(_, e)| mine(e));
        recent.map(|(i, e)| (i as u32, e)).find(|(_, e)| e.object() == object).map(|(i, _)| i)
    }

    /// A block of the heap was allocated.
    #[cold]
    #[inline(never)]
    pub fn allocated(&mut self, block: u64, size: usize) {
        self.settle();
        if self.contents.memory.blocks.len() < MOST_BLOCKS {
            let mut frames = backtrace();
            spin::wipe_deep();
            frames.truncate(FRAMES);
            let event = self.events.len() as u32;
            self.contents.memory.blocks.push(Block { address: block, size: size as u64, event, frames });
        }
    }
}

/// Remembers a block, where that is asked for.
#[inline]
pub fn allocated(block: usize, size: usize) {
    if detailed() && block != 0 {
        k().allocated(block as u64, size);
    }
}
