//! Spin loops: a read that only repeats itself waits for a write (algorithms, rule 9).
//!
//! A thread that polls a flag makes no progress until another thread writes to it, and each round
//! more is an execution more for the search, without end. So a read at a site *waits*, as a lock
//! does: the thread is not enabled until another thread changes one of the locations that it has
//! read since its previous visit of that site. All unfinished threads waiting so is a livelock.
//!
//! The argument why nothing is lost. Let a thread come back to a site, and let its round since the
//! previous visit ([`Kernel::visit`])
//! - have changed nothing that other threads or itself can see later: no modelled operation that
//!   changes anything ([`always_changes`]) and is not taken back (a lock), no plain write that the compiler's hooks tell ([`wrote`]), and
//!   memory that is equal before and after each stretch of its own code ([`Kernel::compare_memory`]);
//! - have left its own state as it was: callee-saved registers and live stack byte by byte
//!   ([`super::here`]), the modes of its arithmetic, and the signals that it blocks.
//!
//! Then what it does next is the same function of the same state and of what it reads. As long as
//! every value that it read in the round is what it was, the next round is the same round again,
//! and so on for ever: the rounds that are left out change nothing, and end in the state in which the thread waits.
//! After a change the read is made like any other, and what follows is what would have followed
//! the last of the rounds left out. Whether a thread goes round, and what it reads there, is a
//! function of its own past, and a change after its last read of a location is ordered with that
//! read by dependence: so executions that differ in the order of independent operations agree
//! about who waits, as reductions need it.
//!
//! Memory is compared because hooks are not everywhere: safe Rust has none, nor has libc. A
//! counter of tries in a `Box` or behind a `&mut` is neither in a register nor on the stack, and
//! without the comparison a bounded retry would be taken for a spin. What others write meanwhile
//! does not count, since memory is looked at when the thread is given its turn and again when it
//! comes to its next point. Plain reads need no such care where there are no hooks: in safe Rust
//! what a thread can read without an operation, nobody else changes meanwhile; a race in unsafe
//! code is as unseen here as it is to the race detector.
//!
//! The runtime does not see what code without hooks reads, in C and behind foreign functions of Rust. A loop may go by it beside what it
//! is seen to read, or by it alone, under a lock. So where a program has such code and nobody can run, a waiting thread makes one
//! more iteration if static memory or a block has changed since it began to wait (`looks`).
//!
//! What is not compared is libc's own state. What a loop could change there and find out later is
//! modelled (locks, clocks, random numbers, files), but for oddities like `strtok`.
//!
//! To take a lock is a read too, and a wait that times out: `held`.
//!
//! A bounded retry that counts on the stack or in a register is never the same, so it counts its
//! steps. Yields, sleeps and fences change nothing. Reading a clock moves it, and choosing a value
//! explores all of them: who does that in a loop does not wait. A read-modify-write that stores
//! what was there (a test-and-set of a lock that is taken) changes nothing; it is told apart in the
//! trace ([`flags::SAME`]).
//!
//! How many rounds it makes before it waits is no matter of soundness, but it is of how many executions there are, and
//! should not hang on what the compiler made of the loop: whether its head is compiled twice, and whether a value that it read
//! stays on the stack. So what decides is what the program reads: a thread waits once it has made two rounds that read the same
//! things, which nobody changed from the first round to the second (`Kernel::is_settled`), wherever in the code they were read. Its state
//! has to be that of the previous visit of the same instruction, as it is there: what came before that visit was a round already.
//!
//! The cost: a read is remembered until the thread changes something. From the second read of the same
//! object on, the stack is hashed and memory is watched.
//!
//! Bytes of the stack that mean nothing count too: a function's frame has places that it has not
//! written yet, and they hold what calls before it left there. What the program left is a function
//! of its own past; what the runtime left is not (it holds numbers of steps and events, and differs
//! when something is met for the first time). So the runtime wipes its part of the stack before it
//! goes back into a loop ([`wipe`], [`wipe_and_return`]), and the first read's stack, under which lies what other calls
//! left, is not looked at.

use super::held::Taken;
use super::here::{Here, digest};
use super::overwritten::Overwritten;
use super::{Kernel, k};
use crate::carrier::modes::Modes;
use crate::carrier::{slot, tls};
use crate::memory::{arena, snapshot};
use alloc::vec::Vec;
use raddle_schedule::{Event, OpKind, flags, hash, round};

/// Reads of one round that are remembered; a longer one never waits.
const MOST: usize = 256;
/// Stands for the hash of memory that is taken when the thread goes on.
const WANTED: u64 = 2;
/// Live stack beyond which a thread never waits.
const DEEPEST: usize = 1 << 20;

/// Bytes that the runtime's own frames take, and those of the unwinder.
const SHALLOW: usize = 1 << 10;
const DEEP: usize = 32 << 10;

/// Makes what the runtime left below the caller's frame read as zero: nobody's bytes, but what is
/// called next may take them into its frame as they are.
pub fn wipe() {
    if room() > 2 * SHALLOW {
        wipe_below::<SHALLOW>();
    }
}

/// The same for what the unwinder left, which is much more.
pub fn wipe_deep() {
    if room() > 2 * DEEP {
        wipe_below::<DEEP>();
    }
}

/// Bytes left on the running stack, if it is one of ours.
#[inline(always)]
fn room() -> usize {
    let here = 0u8;
    let here = &raw const here as usize;
    if slot::is_stack(here) { here.saturating_sub(slot::get(slot::of_address(here)).low) } else { 0 }
}

/// Zeroes so many bytes below the stack pointer.
#[unsafe(naked)]
extern "C" fn wipe_below<const BYTES: usize>() {
    core::arch::naked_asm!(
        "pxor xmm0, xmm0",
        "lea rax, [rsp - {bytes}]",
        "2:",
        "movups [rax], xmm0",
        "movups [rax + 16], xmm0",
        "movups [rax + 32], xmm0",
        "movups [rax + 48], xmm0",
        "add rax, 64",
        "cmp rax, rsp",
        "jb 2b",
        "ret",
        bytes = const BYTES,
    )
}

/// Where the stack pointer of the running thread lies while it may be in a round: above the first of these addresses,
/// and not above the second. Where it is in none, nothing is above the first. Entry points read it themselves
/// ([`wipes_on_return`](crate::wipes_on_return)).
pub static mut WIPES_ABOVE: usize = usize::MAX;
static mut WIPES_UP_TO: usize = 0;

/// The end of an entry point, with its return address on top of the stack: all that the runtime left below it reads as
/// zero. [`wipe`] cannot do that, since the frames of those that call it, up to the entry point's, lie
/// above what it wipes.
///
/// What lies below the stack pointer where a call returns is nobody's: over a call, a function has no red zone. So many
/// bytes of stack there are below the first address; where the program runs on a stack that it made itself, nothing is
/// wiped. Every register is kept but r10, xmm15 and the flags, which hold no argument and no result in C's ABI.
#[unsafe(naked)]
pub extern "C" fn wipe_and_return() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "cmp rsp, [rip + {up_to}]",
        "ja 3f",
        "pxor xmm15, xmm15",
        "lea r10, [rsp - {bytes}]",
        "2:",
        "movups [r10], xmm15",
        "movups [r10 + 16], xmm15",
        "movups [r10 + 32], xmm15",
        "movups [r10 + 48], xmm15",
        "add r10, 64",
        "cmp r10, rsp",
        "jb 2b",
        "3:",
        "ret",
        ".cfi_endproc",
        up_to = sym WIPES_UP_TO,
        bytes = const SHALLOW,
    )
}

/// How an entry point ends that a loop without changes may go through, instead of `ret`: in a loop, it wipes. Takes
/// `above = sym spin::WIPES_ABOVE` and `wipe = sym spin::wipe_and_return`.
///
/// Entry points that need not do so are those that change something whatever comes of it (a thread that comes out of
/// them is in no round), those that never come back, and those that only look at a flag or a word, which leave
/// the same each time. Others that no loop polls with (mappings, names of threads) do not either: at worst a loop that
/// does is not recognised.
#[macro_export]
macro_rules! wipes_on_return {
    () => {
        "cmp rsp, [rip + {above}]\nja {wipe}\nret"
    };
}

/// What a thread has done since it changed something.
#[derive(Default)]
pub struct Spin {
    /// Its reads, oldest first. To take a lock is one.
    pub(super) reads: Vec<Read>,
    /// The locks that it took meanwhile, oldest first.
    pub(super) taken: Vec<Taken>,
    /// Hash of memory (odd) when it was given its turn; 0 while nobody looks, or [`WANTED`].
    pub(super) memory: u64,
    /// The places where it took locks since it changed something, one bit each: see [`Kernel::begins_round`].
    pub(super) met: u64,
    /// By how much the hash was moved by what the thread did since it was first taken: 0 where memory is as it was.
    pub(super) drift: u64,
    /// Number of reads before the one from which on memory was looked at without a gap.
    pub(super) watched: usize,
    /// First of the reads of the round that it waits in.
    pub(super) round: usize,
    /// The object whose next read only repeats its last one unless somebody changes it, as the program says; 0 for none.
    again: u64,
    /// Hash of memory when it began to wait, where code is not watched; 0 for none.
    pub(super) unwatched: u64,
    /// Sites that it came back to in another state although it had read the same twice, in this execution.
    pub(super) doubtful: Vec<u64>,
    /// Where the stack of its own code ends.
    pub top: usize,
    /// Where its stack ended when it last gave the token away; 0 before.
    pub stack_pointer: usize,
}

/// One read.
#[derive(Clone, Copy)]
pub(super) struct Read {
    /// What was read.
    pub(super) object: u64,
    pub(super) size: u32,
    /// [`OpKind`].
    pub(super) kind: u8,
    /// Its event's index.
    pub(super) event: u32,
    /// Site and stack pointer; 0 for a read that is no step.
    pub(super) site: u64,
    /// Hash of registers and live stack, once it was wanted; otherwise 0.
    pub(super) state: u64,
}

impl Spin {
    /// Nothing read yet.
    pub const fn new() -> Self {
        Spin {
            reads: Vec::new(),
            taken: Vec::new(),
            memory: 0,
            met: 0,
            drift: 0,
            watched: 0,
            round: 0,
            again: 0,
            unwatched: 0,
            doubtful: Vec::new(),
            top: 0,
            stack_pointer: 0,
        }
    }

    /// Of a fresh thread.
    pub fn reset(&mut self) {
        self.clear();
        self.doubtful.clear();
        (self.top, self.stack_pointer, self.again, self.unwatched) = (0, 0, 0, 0);
    }

    /// Is there a round that it may be in?
    #[inline(always)]
    pub fn has_read(&self) -> bool {
        !self.reads.is_empty()
    }

    /// The thread has changed something.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.met = 0;
        if !self.reads.is_empty() {
            self.reads.clear();
            self.taken.clear();
            (self.memory, self.drift) = (0, 0);
            // SAFETY: read and written by the token's holder only.
            unsafe {
                if WIPES_UP_TO == self.top {
                    WIPES_ABOVE = usize::MAX;
                }
            }
        }
    }

    /// Its thread runs again.
    #[inline(always)]
    pub fn goes_on(&self) {
        if self.has_read() {
            self.wipes_on_return();
        }
    }

    /// Its thread is running, and may be in a round from here on.
    fn wipes_on_return(&self) {
        let known = slot::is_stack(self.top);
        let low = if known { slot::get(slot::of_address(self.top)).low + 2 * SHALLOW } else { usize::MAX };
        // SAFETY: read and written by the token's holder only.
        unsafe { (WIPES_ABOVE, WIPES_UP_TO) = (low, self.top) };
    }

    /// Memory is looked at from this visit on.
    pub(super) fn watches(&mut self, stack_pointer: usize, visit: &mut Visit) {
        if self.memory == 0 {
            self.watched = self.reads.len();
        }
        self.memory = WANTED;
        visit.stack_pointer = stack_pointer;
    }

    pub(super) fn add(&mut self, read: Read) {
        if self.reads.len() == MOST {
            self.clear();
        }
        if self.reads.is_empty() {
            self.wipes_on_return();
        }
        self.reads.push(read);
    }

    /// Is the stack pointer one of the thread's own stack?
    pub(super) fn is_own(&self, stack_pointer: usize) -> bool {
        stack_pointer <= self.top && self.top - stack_pointer < DEEPEST
    }
}

/// The visit of a site: what [`Kernel::visit`] found and [`Kernel::remember`] keeps.
pub struct Visit {
    pub(super) site: u64,
    pub(super) state: u64,
    /// Where its stack ends, if memory is looked at from here on; 0 otherwise.
    stack_pointer: usize,
    /// The read is to wait for a change.
    pub waits: bool,
}

/// Kinds that change nothing, or are looked at elsewhere.
const QUIET: u64 = 1 << OpKind::AtomicLoad as u64
    | 1 << OpKind::AtomicRmw as u64
    | 1 << OpKind::TryLock as u64
    | 1 << OpKind::TryReadLock as u64
    | 1 << OpKind::TryWriteLock as u64
    | 1 << OpKind::SemTryWait as u64
    | 1 << OpKind::ChannelRecv as u64
    | 1 << OpKind::Read as u64
    | 1 << OpKind::Write as u64
    | 1 << OpKind::Fence as u64
    | 1 << OpKind::Yield as u64
    | 1 << OpKind::Sleep as u64
    | 1 << OpKind::Statement as u64
    | 1 << OpKind::Point as u64
    | 1 << OpKind::LockExit as u64
    | 1 << OpKind::Lock as u64
    | 1 << OpKind::ReadLock as u64
    | 1 << OpKind::WriteLock as u64
    | 1 << OpKind::Unlock as u64
    | 1 << OpKind::ReadUnlock as u64
    | 1 << OpKind::WriteUnlock as u64
    | 1 << OpKind::CondEnqueue as u64
    | 1 << OpKind::CondWake as u64
    | 1 << OpKind::Timeout as u64;

/// Does an operation of this kind change something, whatever comes of it?
#[inline(always)]
pub fn always_changes(kind: u8) -> bool {
    QUIET >> (kind & 63) & 1 == 0
}

/// The running thread changes something that is no operation: its clock, its heap, its keys.
#[inline]
pub fn changed() {
    k().alone.reset();
    k().me().spin.clear();
}

/// The running thread writes to plain memory. Its own stack is compared anyway.
#[inline]
pub fn wrote(at: u64) {
    let kernel = k();
    if !kernel.me().spin.is_own(at as usize) {
        kernel.alone.reset();
    }
    let spin = &mut kernel.me().spin;
    if (spin.met != 0 || !spin.reads.is_empty()) && !spin.is_own(at as usize) {
        spin.clear();
    }
}

/// The running thread's next read of this object is all that it goes by, as its last one was: it waits for a change.
/// Said by what has a loop with that read in it ([`crate::interpose::atomic_wait`]), whose rounds change nothing else.
pub fn reads_again(object: u64) {
    k().me().spin.again = object;
}

impl Read {
    /// Is this event the same read as a step?
    fn is_like(&self, e: &Event) -> bool {
        self.site != 0 && self.object == e.object() && self.kind == e.kind() as u8
    }

    /// Does this operation of another thread change what was read?
    fn is_changed_by(&self, e: &Event) -> bool {
        if OpKind::from_u8(self.kind).is_some_and(round::takes) {
            return round::concerns(&e.op(), e.flags, self.object);
        }
        let (from, to) = (e.object(), e.object() + u64::from(e.size()));
        let touches = self.object < to && from < self.object + u64::from(self.size);
        match e.kind() {
            OpKind::AtomicStore | OpKind::Write | OpKind::Free => touches,
            OpKind::AtomicRmw => touches && e.flags & (flags::FAILED | flags::SAME) == 0,
            OpKind::ChannelSend => e.op().reaches(self.object),
            OpKind::Unlock | OpKind::SemPost | OpKind::Unpark => self.object == e.object(),
            OpKind::ReadUnlock | OpKind::WriteUnlock => self.object == e.object(),
            OpKind::CondEnqueue => self.object == e.value,
            _ => false,
        }
    }
}

impl Kernel {
    /// The running thread comes to a read at a site, with this event.
    pub fn visit(&mut self, event: &mut Event, here: &Here) -> Visit {
        self.compare_memory();
        self.give_up_if_changed();
        let spin = &mut self.me().spin;
        let stack_pointer = here.stack_pointer();
        let mut visit = Visit { site: 0, state: 0, stack_pointer: 0, waits: false };
        if spin.again != 0 {
            visit.waits = self.reads_again(event);
            return visit;
        }
        if !spin.is_own(stack_pointer) {
            return visit;
        }
        let code = here.caller as u64 ^ u64::from(event.site) << 48;
        visit.site = hash::mix(code, stack_pointer as u64) | 1;
        if self.may_stand(event.kind()) {
            return self.visit_once(event, here, visit);
        }
        let spin = &mut self.me().spin;
        // The same read in another place of the code counts: a loop's head may be compiled twice, or inlined.
        // Of locks only the same place: most are taken here and there, and in no loop.
        let takes = round::takes(event.kind());
        let is_again = |r: &Read| if takes { r.site == visit.site } else { r.is_like(event) };
        let begins = takes && spin.reads.is_empty();
        if !begins && !spin.reads.iter().any(is_again) {
            return visit;
        }
        visit.state = self.state_of(here);
        let spin = &mut self.me().spin;
        let hashed = |r: &Read| r.site == visit.site && r.state != 0;
        let is_same = |r: &Read| r.site == visit.site && r.state == visit.state;
        let same = spin.reads.iter().rposition(is_same).filter(|at| spin.holds_as_then(*at));
        let before = same.or_else(|| spin.reads.iter().rposition(hashed));
        // A lock that begins a round was taken there in the round before.
        let settled = before.is_some_and(|before| takes && before == 0 || self.is_settled(before));
        let spin = &mut self.me().spin;
        // Before its first visit a place's registers may have held what only its own loop puts there.
        let is_later = before.is_some_and(|b| spin.reads[..b].iter().any(|r| r.site == visit.site));
        if settled && same.is_none() && is_later && !spin.doubtful.contains(&visit.site) {
            spin.doubtful.push(visit.site);
        }
        // Looking at memory costs most: not where a loop was seen to count, unless it stands still.
        let hopeful = same.is_some() || !spin.doubtful.contains(&visit.site);
        let watched = if spin.memory == 0 { usize::MAX } else { spin.watched };
        spin.memory = if hopeful { spin.memory } else { 0 };
        if hopeful {
            spin.watches(stack_pointer, &mut visit);
        }
        if let Some(previous) = same
            && settled
            && watched <= previous
        {
            event.flags |= flags::AWAIT;
            spin.round = previous;
            visit.waits = !self.is_round_changed();
            self.spinning |= if visit.waits { self.my_bit() } else { 0 };
            if visit.waits && self.setup().has_unwatched_code {
                self.me().spin.unwatched = self.blocks_and_statics();
            }
        }
        visit
    }

    /// This thread, which waits in a loop, makes its read, if it can.
    pub(super) fn lets_go(&mut self, t: usize) {
        self.spinning &= !(1 << t);
        let bit = u64::from(self.could_take(t)) << t;
        if self.threads[t].pending.flags & flags::TIMED != 0 {
            self.timeouts |= bit;
        } else {
            self.enabled |= bit;
        }
    }

    /// Hash of the running thread's own state: its stack and registers, how it does arithmetic, and the signals that it blocks.
    pub(super) fn state_of(&mut self, here: &Here) -> u64 {
        self.state_without(here, None)
    }

    /// The same but for what it overwrites next.
    pub(super) fn state_without(&mut self, here: &Here, left_out: Option<&Overwritten>) -> u64 {
        let me = self.me();
        let own = match left_out {
            Some(left_out) => here.state_without(me.spin.top, left_out),
            None => here.state(me.spin.top),
        };
        hash::mix(hash::mix(own, Modes::now().bits()), me.signals.bits()) | 1
    }

    /// The running thread is about to do what it has said of its next read ([`reads_again`]): does it wait for a change?
    /// Where its last operation on the object was of another kind it looks once more.
    #[cold]
    fn reads_again(&mut self, event: &mut Event) -> bool {
        let (me, object) = (self.current, core::mem::take(&mut self.me().spin.again));
        let is_own = |e: &Event| e.thread() == me && e.object() == object && e.kind().is_atomic();
        let Some(at) = self.events.iter().rposition(is_own) else { return false };
        let last = self.events[at];
        if (event.object(), event.kind()) != (object, last.kind()) {
            return false;
        }
        // A round begins where the same was read at the same site; wherever it was, that was the round before.
        event.site = last.site;
        event.flags |= flags::AWAIT;
        let (size, kind) = (last.size(), last.kind() as u8);
        let spin = &mut self.me().spin;
        spin.add(Read { object, size, kind, event: at as u32, site: 0, state: 0 });
        spin.round = spin.reads.len() - 1;
        let waits = !self.is_round_changed();
        self.spinning |= if waits { self.my_bit() } else { 0 };
        waits
    }

    /// Were the reads since this one, and as many before it, two rounds that read the same things, which nobody changed
    /// between the first round and the second?
    fn is_settled(&self, previous: usize) -> bool {
        let reads = &self.threads[usize::from(self.current)].spin.reads;
        let steps = |r: &&Read| r.site != 0;
        let mut before = reads[..previous].iter().rev().filter(steps);
        let mut round = reads[previous..].iter().rev().filter(steps);
        round.all(|second| {
            before.next().is_some_and(|first| {
                first.object == second.object
                    && first.kind == second.kind
                    && !self.is_changed_within(first, second.event)
            })
        })
    }

    /// Has another thread changed what was read, before the event with this index?
    fn is_changed_within(&self, read: &Read, end: u32) -> bool {
        let between = &self.events[read.event as usize + 1..end as usize];
        between.iter().any(|e| e.thread() != self.current && read.is_changed_by(e))
    }

    /// Has another thread changed something that the running one read in its round, since?
    fn is_round_changed(&self) -> bool {
        self.is_round_of_changed(usize::from(self.current))
    }

    /// The same of the round that this thread waits in.
    pub(super) fn is_round_of_changed(&self, thread: usize) -> bool {
        let spin = &self.threads[thread].spin;
        let round = &spin.reads[spin.round..];
        let first = round[0].event as usize + 1;
        let since = self.events[first..].iter().enumerate();
        let mut others = since.filter(|(_, e)| usize::from(e.thread()) != thread);
        others.any(|(i, e)| round.iter().any(|r| (r.event as usize) < first + i && r.is_changed_by(e)))
    }

    /// The operation that the visit came before has been recorded, and is about to be done.
    pub fn remember(&mut self, visit: &Visit) {
        let Some(event) = self.events.last() else { return };
        self.remember_as(visit, event.kind(), self.events.len() - 1);
    }

    /// The same of this event, as of this kind.
    pub(super) fn remember_as(&mut self, visit: &Visit, kind: OpKind, at: usize) {
        let (object, size) = (self.events[at].object(), self.events[at].size());
        let Visit { site, state, stack_pointer, .. } = *visit;
        let (takes, kind, event) = (round::takes(kind), kind as u8, at as u32);
        let spin = &mut self.me().spin;
        spin.add(Read { object, size, kind, event, site, state });
        if takes {
            spin.takes(object, stack_pointer);
        }
    }

    /// A plain read that is no step has been recorded.
    pub fn remember_plain(&mut self) {
        if self.me().spin.has_read() {
            self.remember(&Visit { site: 0, state: 0, stack_pointer: 0, waits: false });
        }
    }

    /// Something was done that may be what others wait for.
    #[cold]
    pub fn wake_spinning(&mut self, event: &Event) {
        let mut waiting = self.spinning & !(1 << event.thread());
        while waiting != 0 {
            let t = waiting.trailing_zeros() as usize;
            waiting &= waiting - 1;
            let spin = &self.threads[t].spin;
            if spin.reads[spin.round..].iter().any(|r| r.is_changed_by(event)) {
                self.lets_go(t);
            }
        }
    }

    /// The read-modify-write that was recorded last has changed what it worked on.
    #[inline]
    pub fn rmw_changed(&mut self) {
        self.me().spin.clear();
        if self.spinning != 0
            && let Some(event) = self.events.last().copied()
        {
            self.wake_spinning(&event);
        }
    }

    /// The running thread's own code has come to a point: has it written to memory, since it was
    /// given its turn, where no hook tells?
    #[inline]
    pub fn compare_memory(&mut self) {
        let before = self.me().spin.memory;
        if before != 0 {
            let moved = self.memory_digest().wrapping_sub(before);
            let spin = &mut self.me().spin;
            spin.drift = spin.drift.wrapping_add(moved);
        }
    }

    /// The running thread goes on: what it writes from here on is compared.
    #[inline]
    pub fn look_at_memory(&mut self) {
        if self.me().spin.memory != 0 {
            self.me().spin.memory = self.memory_digest();
        }
    }

    /// A hash of all memory that the program can write to, but for the running thread's stack.
    #[cold]
    pub(super) fn memory_digest(&self) -> u64 {
        let mut hash = snapshot::digest();
        for (t, thread) in self.threads[..self.spawned].iter().enumerate() {
            hash = hash.wrapping_add(arena::digest(thread.slot));
            if self.finished >> t & 1 != 0 {
                continue;
            }
            let fs = slot::get(thread.slot).fs;
            hash = hash.wrapping_add(tls::digest(fs));
            let Spin { stack_pointer, top, .. } = thread.spin;
            if t != usize::from(self.current) && stack_pointer != 0 {
                let (used, base) = slot::get(thread.slot).fiber.used(thread.slot);
                // On a stack that the program has made: that one is memory like any other, and how deep its own is in use
                // is not known so exactly.
                let from = if (used..base).contains(&stack_pointer) { stack_pointer } else { used };
                // SAFETY: a stack that is in use, by a thread that does not run.
                hash = hash.wrapping_add(unsafe { digest(0, from, top) });
            }
        }
        // What differences of such hashes add up to is zero where memory is as it was: all but the lowest bit counts.
        hash << 1 | 1
    }
}
