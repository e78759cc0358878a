//! Recording: events, the filter of repeated accesses, call stacks for reports, and the sending
//! of the trace.

use super::spin::{always_changes, wipe_deep};
use super::{Kernel, k, unwind};
use crate::debug;
use crate::memory::arena;
use crate::model::misuse;
use alloc::vec::Vec;
use raddle_schedule::channel::wire::{self, End};
use raddle_schedule::memory::Memory;
use raddle_schedule::plan::flags::{DETAIL, VALUES};
use raddle_schedule::round::given_back;
use raddle_schedule::trace::{Stack, ThreadPanic};
use raddle_schedule::{Event, OpKind, Outcome, flags};

/// Longest call stack that is recorded.
const MAX_FRAMES: usize = 64;
/// Bytes of a stack in one record.
const STACK_PIECE: usize = 2048;
/// Events after which an execution is cut off, whatever its steps: 128 MiB of trace.
pub const MAX_EVENTS: usize = 4 << 20;

/// Identity, size and moment of an access.
type Access = (u64, u32, u64);
/// Pairs of accesses that are remembered beyond the first ones.
const PAIRS: usize = 8192;
/// Accesses that had to make way in [`Seen`] for others of the same moment, in pairs: what code does that goes through
/// arrays again and again between two operations is told once. No moment is 0.
static mut MORE: [[Access; 2]; PAIRS] = [[(0, 0, 0); 2]; PAIRS];

/// Accesses already recorded since the last operation. Between two operations one thread runs
/// alone, so a second access of the same kind to the same bytes can neither race nor unrace
/// anything.
pub struct Seen {
    /// Identity, size and moment of each access.
    entries: [Access; 64],
    /// Distinguishes executions, whose steps count from 0 again.
    pub epoch: u32,
}

impl Default for Seen {
    fn default() -> Self {
        Self::new()
    }
}

impl Seen {
    /// Nothing seen.
    pub const fn new() -> Self {
        Seen { entries: [(0, 0, 0); 64], epoch: 1 }
    }

    /// Was this access (its identity) recorded already since the last of so many operations?
    /// Remembers it.
    #[inline]
    pub fn repeated(&mut self, identity: u64, size: u32, operations: u32) -> bool {
        let moment = u64::from(self.epoch) << 32 | u64::from(operations);
        let entry = &mut self.entries[(scattered(identity) >> 58) as usize];
        let access = (identity, size, moment);
        if *entry == access {
            return true;
        }
        let before = core::mem::replace(entry, access);
        // Whatever was here in this moment is there still, or among those beyond.
        before.2 == moment && self.displaces(before, access)
    }

    /// Remembers the first beyond the entries. Is the second there?
    #[cold]
    fn displaces(&mut self, before: Access, access: Access) -> bool {
        let more = &raw mut MORE;
        // SAFETY: only the token's holder comes here, and the reference ends with this function.
        let more = unsafe { &mut *more };
        let pair = &mut more[pair_of(before.0)];
        if pair[0] != before {
            pair[1] = pair[0];
            pair[0] = before;
        }
        more[pair_of(access.0)].contains(&access)
    }
}

/// The bits of an identity, spread.
#[inline]
fn scattered(identity: u64) -> u64 {
    identity.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Where it is remembered beyond the entries.
fn pair_of(identity: u64) -> usize {
    scattered(identity) as usize >> 20 & (PAIRS - 1)
}

/// Are call stacks wanted?
#[inline]
pub fn detailed() -> bool {
    k().plan.flags & DETAIL != 0
}

impl Kernel {
    /// Appends an event to the trace.
    #[inline(always)]
    pub fn push(&mut self, mut event: Event) {
        let method = self.me().frames.number();
        if always_changes(event.raw_kind()) {
            self.me().spin.clear();
        }
        if self.me().spin.has_read()
            && let Some(lock) = given_back(&event.op())
            && self.gives_back(lock)
        {
            event.flags |= flags::UNCHANGED;
        }
        if self.spinning != 0 && event.raw_kind() != OpKind::AtomicRmw as u8 {
            self.wake_spinning(&event);
        }
        if self.plan.flags & (DETAIL | VALUES) != 0 {
            self.tell_before(&event);
            self.push_detail(&event);
        }
        let number = (self.events.len() - self.annotations) as u64;
        self.events.push(event);
        // There and not before: a copy right behind the write of a part of it would wait for it.
        if let Some(event) = self.events.last_mut() {
            event.method = method;
        }
        if debug::watched() {
            debug::passed(number);
        }
        misuse::look(&event);
    }

    /// Appends an annotation.
    #[inline]
    pub fn annotate(&mut self, mut annotation: Event) {
        annotation.method = self.me().frames.number();
        self.annotations += 1;
        self.events.push(annotation);
    }

    #[cold]
    #[inline(never)]
    fn push_detail(&mut self, event: &Event) {
        if !detailed() {
            return;
        }
        if !self.is_in_detail(event) {
            return self.settle_aside(event);
        }
        self.look_before(event);
        let frames = backtrace();
        wipe_deep();
        self.stacks.push(Stack { event: self.events.len() as u32, frames });
    }

    /// Is the event that comes next told with its call stack, and with what its memory holds? Of millions of
    /// plain accesses only those in the plan's windows are.
    fn is_in_detail(&self, event: &Event) -> bool {
        let is_plain = event.kind().is_data() && !event.is_step();
        !is_plain || self.plan.windows.cover(self.events.len() as u32)
    }

    /// The running thread may have to wait before an operation at this site. If it never goes on, that has no event, and
    /// only its call stack leads from a library's code to the program's.
    pub fn note_where_it_stands(&mut self, site: u32) {
        if detailed() {
            let frames = backtrace();
            wipe_deep();
            self.me().stands = (site, frames);
        }
    }

    /// The last step or access recorded (annotations skipped), to be completed with a value.
    pub fn last_event(&mut self) -> Option<&mut Event> {
        self.events.iter_mut().rev().find(|e| !e.kind().is_annotation())
    }

    /// What every unfinished thread was about to do, whatever ended the execution.
    fn push_pending(&mut self) {
        use Outcome::*;
        let at_points = matches!(
            self.end.outcome,
            Deadlock | Livelock | Truncated | SleepBlocked | Diverged | Unfollowable
        );
        let could = self.enabled | self.timeouts;
        for t in 0..self.spawned {
            // A thread that ended the execution in the middle of its own code waits for nothing.
            let in_its_code = t == usize::from(self.current) && !at_points;
            // Nor does one that goes on for ever, or stands.
            if (self.finished | self.for_ever | self.standing) >> t & 1 != 0 || in_its_code {
                continue;
            }
            let mut pending = self.threads[t].pending;
            pending.method = self.threads[t].frames.number();
            let could = could >> t & 1 != 0;
            let (site, frames) = core::mem::take(&mut self.threads[t].stands);
            if !could && site == pending.site && !frames.is_empty() {
                self.stacks.push(Stack { event: self.events.len() as u32, frames });
            }
            self.events.push(Event::pending(&pending, could));
        }
    }

    /// Sends the finished execution to the server.
    pub fn send_trace(&mut self, output: &[u8]) {
        if self.plan.flags & DETAIL != 0 {
            self.settle_last();
        }
        self.push_pending();
        // SAFETY: an event is four plain words.
        let words =
            unsafe { core::slice::from_raw_parts(self.events.as_ptr().cast::<u64>(), self.events.len() * 4) };
        let setup = k().setup();
        let piece = setup.channel.traces().max_payload() & !3;
        for part in words.chunks(piece.max(4)) {
            send(setup, wire::EVENTS, part);
        }
        let mut buffer = Vec::new();
        if !self.end.message.is_empty() {
            wire::pack_text(0, self.end.message.as_bytes(), &mut buffer);
            send(setup, wire::MESSAGE, &buffer);
        }
        // Whole ones: three words each.
        for part in self.destroys.chunks(piece / 3 * 3) {
            send(setup, wire::DESTROYED, part);
        }
        // Two words each.
        for part in self.asides.words().chunks(piece.max(4)) {
            send(setup, wire::ASIDES, part);
        }
        if let Some(leaked) = &self.leaked {
            buffer.clear();
            leaked.iter().for_each(|l| l.encode(&mut buffer));
            send(setup, wire::LEAKED, &buffer);
        }
        if let Some(misuse) = &self.end.misuse {
            misuse.encode(&mut buffer);
            send(setup, wire::MISUSE, &buffer);
        }
        for part in output.chunks(1 << 16) {
            wire::pack_text(0, part, &mut buffer);
            send(setup, wire::OUTPUT, &buffer);
        }
        for t in 0..self.spawned {
            let thread = &self.threads[t];
            if self.plan.flags & DETAIL != 0 && !thread.name.is_empty() {
                wire::pack_text(t as u32, thread.name.as_bytes(), &mut buffer);
                send(setup, wire::THREAD_NAME, &buffer);
            }
            // T0's is the test's own matter: it fails, or was meant to panic.
            if let (1.., Some(panic)) = (t, &thread.panic) {
                let (thread, is_joined) = (t as u8, thread.joined);
                ThreadPanic { thread, site: panic.site, is_joined, message: panic.message.clone() }
                    .encode(&mut buffer);
                send(setup, wire::THREAD_PANIC, &buffer);
            }
        }
        if self.plan.flags & DETAIL != 0 {
            let end = Stack { event: self.events.len() as u32, frames: core::mem::take(&mut self.end.stack) };
            for stack in self.stacks.iter().chain([&end]) {
                buffer.clear();
                buffer.push(u64::from(stack.event));
                buffer.extend_from_slice(&stack.frames);
                send(setup, wire::STACK, &buffer);
            }
            send_memory(setup, &self.contents.memory);
        }
        let all = u64::MAX >> (64 - self.spawned.max(1));
        let end = End {
            sequence: self.plan.sequence,
            outcome: self.end.outcome,
            code: self.end.code,
            thread: self.end.thread.unwrap_or(self.current),
            main_returned: self.main_returned,
            looked: self.looked.is_some(),
            gave_back: (0..self.spawned).any(|t| arena::has_given_back(self.threads[t].slot)),
            loops: setup.channel.header().loops.found(),
            blocked: all & !self.finished,
            steps: self.steps,
            site: self.end.site,
            hash: self.hash,
            pc: self.end.pc,
        };
        send(setup, wire::END, &end.encode());
    }
}

fn send_memory(setup: &super::Setup, memory: &Memory) {
    let mut buffer = Vec::new();
    for name in &memory.types {
        wire::pack_text(0, name.as_bytes(), &mut buffer);
        send(setup, wire::TYPE, &buffer);
    }
    for held in &memory.held {
        held.encode(&mut buffer);
        send(setup, wire::HELD, &buffer);
    }
    for (event, meaning) in &memory.meanings {
        send(setup, wire::MEANING, &[u64::from(*event) | (*meaning as u64) << 32]);
    }
    for panicked in &memory.panics {
        panicked.encode(&mut buffer);
        send(setup, wire::PANICKED, &buffer);
    }
    for unset in &memory.unset {
        unset.encode(&mut buffer);
        send(setup, wire::UNSET, &buffer);
    }
    for block in &memory.blocks {
        block.encode(&mut buffer);
        send(setup, wire::BLOCK, &buffer);
    }
    memory.frames.iter().for_each(|frame| send(setup, wire::FRAME, &frame.encode()));
    let (from, bytes) = &memory.stack;
    for (i, piece) in bytes.chunks(STACK_PIECE).enumerate() {
        wire::pack_text(0, piece, &mut buffer);
        buffer.insert(0, from + (i * STACK_PIECE) as u64);
        send(setup, wire::STACK_BYTES, &buffer);
    }
}

fn send(setup: &super::Setup, kind: u32, payload: &[u64]) {
    let ring = setup.channel.traces();
    while !ring.try_push_quietly(kind, payload) {
        ring.wake_reader();
        ring.wait_writable(payload.len(), setup.spin, 100_000_000);
    }
}

/// The call stack of the running thread, innermost first, the runtime's own frames included.
pub fn backtrace() -> Vec<u64> {
    unwind::frames(MAX_FRAMES).iter().map(|frame| frame.code).collect()
}
