//! Telling what is written, for a search that remembers states by their values
//! ([`raddle_schedule::plan::flags::VALUES`]).
//!
//! Hooks come before the writes that they announce. Between two operations one thread runs alone, so
//! before the next operation is recorded all that was announced since the last one is done, and nobody has
//! written there again: now it can be read. What is freed is read before it is, and what the process
//! has besides memory ([`world`]) has no value to be read.

use super::Kernel;
use raddle_schedule::{Event, OpKind, plan, world};

/// Has this event written, or announced it?
fn writes(event: &Event) -> bool {
    match event.kind() {
        OpKind::Write | OpKind::AtomicStore => true,
        OpKind::AtomicRmw => !event.failed(),
        _ => false,
    }
}

/// What memory holds there; of more than eight bytes a hash.
fn contents(at: u64, size: u32) -> u64 {
    // SAFETY: the program has written there since its last operation, and has not given it back.
    unsafe {
        match size {
            1 => u64::from((at as *const u8).read_volatile()),
            2 => u64::from((at as *const u16).read_unaligned()),
            4 => u64::from((at as *const u32).read_unaligned()),
            8 => (at as *const u64).read_unaligned(),
            _ => (0..u64::from(size) / 8).fold(raddle_schedule::hash::EMPTY, |hash, i| {
                raddle_schedule::hash::mix(hash, ((at + 8 * i) as *const u64).read_unaligned())
            }),
        }
    }
}

impl Kernel {
    /// Before this event is recorded: tells what was written since the last operation, if it is one.
    pub(super) fn tell_before(&mut self, event: &Event) {
        let frees = event.kind() == OpKind::Free;
        if event.kind().is_data() && !event.is_step() && !frees {
            return;
        }
        match frees {
            true => self.tell_before_it_is_gone(),
            false => self.tell_values(),
        }
    }

    /// Tells what was written since the last operation, where that is asked for.
    #[cold]
    #[inline(never)]
    pub fn tell_values(&mut self) {
        if self.plan.flags & plan::flags::VALUES == 0 {
            return;
        }
        for i in self.told..self.events.len() {
            let write = self.events[i];
            if !writes(&write) || world::is(write.object()) {
                continue;
            }
            let mut stored = Event::new(OpKind::Stored, write.thread(), write.object());
            stored.set_access(write.order(), write.size());
            stored.value = contents(write.object(), write.size());
            self.annotate(stored);
        }
        self.told = self.events.len();
    }

    /// Memory is about to be taken away: tells what was written there. What is written again from here on
    /// is announced again.
    pub fn tell_before_it_is_gone(&mut self) {
        self.tell_values();
        self.settle();
        self.settle_repeated();
        self.seen.epoch = self.seen.epoch.wrapping_add(1);
    }
}
