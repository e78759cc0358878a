//! Blocks that nothing leads to when an execution has passed, in those whose plan asks for it
//! ([`raddle_schedule::plan::flags::LEAKS`]).
//!
//! What the execution allocates and gives back is written down as it goes (`allocated`, `freed`). At its end
//! (`look`) every word that may be a pointer is followed, from the roots (`roots`: the data of all objects, the heap from
//! before the execution, thread-locals and thread-specific values, the stacks of threads that have not ended, what libc has
//! allocated, what was mapped before the execution) through the blocks that are reached. An address inside a block, or just
//! behind it, counts as leading to it. Before a block is told as lost all is read once more at every byte, for pointers
//! in packed records. What the program hides is not seen: pointers that it xors or keeps bits of, writes to files, or has in memory that
//! others map. Where the execution maps memory itself, or hands addresses of blocks to the system (`epoll_ctl`,
//! `sigaltstack`), nothing is said at all.

use super::{arena, freed, modules};
use crate::carrier::{slot, tls};
use crate::interpose::{malloc, mappings};
use crate::kernel::{active, k};
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_void};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use raddle_schedule::Outcome;
use raddle_schedule::leak::Leaked;
use raddle_schedule::misuse::{Involved, Part};
use raddle_schedule::plan::flags::LEAKS;

/// Of executions with more calls than this nothing is said, nor of those with more bytes.
const MOST_CALLS: usize = 1 << 20;
const MOST_BYTES: usize = 16 << 20;
/// Nor of those in which more calls than this lost blocks: which of them would be told depended on addresses.
const MOST_TOLD: usize = 256;

/// A block was allocated or, with nobody, given back.
struct Call {
    start: usize,
    len: usize,
    by: Option<Involved>,
}

struct Log(UnsafeCell<Vec<Call>>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Log {}

static LOG: Log = Log(UnsafeCell::new(Vec::new()));

fn log() -> &'static mut Vec<Call> {
    // SAFETY: see `Log`; one reference at a time.
    unsafe { &mut *LOG.0.get() }
}

#[inline]
fn wanted() -> bool {
    active() && k().plan.flags & LEAKS != 0
}

/// The system has an address of a block.
static HANDED_OVER: AtomicBool = AtomicBool::new(false);

/// An execution begins.
pub fn begin() {
    log().clear();
    HANDED_OVER.store(false, Relaxed);
}

/// The system is given this, which may be the address of a block, to keep.
pub fn handed_over(word: usize) {
    if arena::contains(word) {
        HANDED_OVER.store(true, Relaxed);
    }
}

/// Something of this execution is no root, and leads to blocks all the same.
pub fn cannot_tell() {
    HANDED_OVER.store(true, Relaxed);
}

/// A block was allocated, or has another size, by the call that returns to `caller`.
#[inline]
pub fn allocated(start: usize, len: usize, caller: *const c_void) {
    if wanted() && start != 0 {
        note(start, len, Some(freed::part(Part::Allocated, caller)));
    }
}

/// A block was given back.
#[inline]
pub fn freed(start: usize) {
    if wanted() {
        note(start, 0, None);
    }
}

#[cold]
fn note(start: usize, len: usize, by: Option<Involved>) {
    if log().len() <= MOST_CALLS {
        log().push(Call { start, len, by });
    }
}

/// A block that is in use at the end.
struct Block {
    start: usize,
    /// Behind its last usable byte.
    end: usize,
    /// Bytes that were asked for.
    len: usize,
    by: Involved,
    reached: bool,
    /// Another lost one leads to it.
    inner: bool,
}

/// What is lost in the execution that has just ended; `None` where nobody asked or nothing can be said.
/// Called while the stacks of its threads are still there.
pub fn look() -> Option<Vec<Leaked>> {
    let kernel = k();
    // Who waits for ever behind main is no failure.
    let passed = match kernel.end.outcome {
        Outcome::Passed => true,
        Outcome::Deadlock | Outcome::Livelock => kernel.main_returned,
        _ => false,
    };
    if kernel.plan.flags & LEAKS == 0 || !passed || kernel.setup().os_threads {
        return None;
    }
    let unknown = mappings::any() || HANDED_OVER.load(Relaxed) || malloc::libc_blocks().is_none();
    if unknown || log().len() > MOST_CALLS {
        return None;
    }
    let mut blocks = Blocks { all: in_use(), step: size_of::<usize>() };
    if blocks.all.iter().map(|b| b.end - b.start).sum::<usize>() > MOST_BYTES {
        return None;
    }
    let mut found = Vec::new();
    let all_read = roots(&mut |start, end| blocks.reach(start, end, &mut found));
    blocks.follow(&mut found);
    if blocks.all.iter().any(|b| !b.reached) {
        blocks.step = 1;
        found.extend((0..blocks.all.len()).filter(|at| blocks.all[*at].reached));
        roots(&mut |start, end| blocks.reach(start, end, &mut found));
        blocks.follow(&mut found);
    }
    if all_read { blocks.lost() } else { None }
}

/// The blocks in use, by address.
fn in_use() -> Vec<Block> {
    let mut calls: Vec<(usize, usize)> = log().iter().enumerate().map(|(n, call)| (call.start, n)).collect();
    calls.sort_unstable();
    let last = |i: &usize| calls.get(i + 1).is_none_or(|next| next.0 != calls[*i].0);
    let latest = (0..calls.len()).filter(last).map(|i| &log()[calls[i].1]);
    latest
        .filter_map(|call| {
            let (start, len, by) = (call.start, call.len, call.by?);
            matches!(arena::check(start), arena::Freed::Ok).then(|| Block {
                start,
                end: start + arena::usable(start),
                len,
                by,
                reached: false,
                inner: false,
            })
        })
        .collect()
}

/// Calls back with every range of memory that is there without any block. False if some could not be read.
fn roots(each: &mut impl FnMut(usize, usize)) -> bool {
    modules::each(|m| {
        if !m.is_runtime() {
            m.data(&mut *each);
        }
    });
    let (start, end) = arena::older();
    each(start, end);
    for (start, len) in malloc::libc_blocks().into_iter().flatten() {
        each(start, start + len);
    }
    environment(each);
    let kernel = k();
    for t in 0..kernel.spawned {
        let thread = &kernel.threads[t];
        let word = |value: &*mut c_void| (&raw const *value as usize, &raw const *value as usize + 8);
        let values = thread.keys.iter().chain([&thread.result]);
        let started = thread.body.iter().map(|body| &body.argument);
        let ended = kernel.finished >> t & 1 != 0 || (t == 0 && kernel.main_returned);
        // A result may be fetched by whoever joins, which nobody does any more; but then it is not lost by the thread.
        for (start, end) in values.map(word) {
            each(start, end);
        }
        if !ended {
            started.map(word).for_each(|(start, end)| each(start, end));
            let (start, end) = slot::get(thread.slot).fiber.used(thread.slot);
            each(start, end);
        }
        if !ended || t == 0 {
            tls::each_block(slot::get(thread.slot).fs, &mut *each);
        }
    }
    mappings::read_earlier(each)
}

/// The strings that the environment's list points to, and the list.
fn environment(each: &mut impl FnMut(usize, usize)) {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    // SAFETY: libc's list, which ends with a null pointer, if there is one.
    unsafe {
        let mut at = environ;
        while !at.is_null() && !(*at).is_null() {
            each(at as usize, at as usize + 8);
            at = at.add(1);
        }
        let list = &raw const environ as usize;
        each(list, list + 8);
    }
}

struct Blocks {
    all: Vec<Block>,
    /// Pointers may stand at multiples of this.
    step: usize,
}

impl Blocks {
    /// The block that this word leads to, if it is an address in one or just behind it, where the next one's header is.
    #[inline]
    fn of(&self, word: usize) -> Option<usize> {
        if !arena::contains(word) {
            return None;
        }
        let at = self.all.partition_point(|b| b.start <= word).checked_sub(1)?;
        (word <= self.all[at].end).then_some(at)
    }

    /// Marks what a range leads to, and adds what was not marked before to `found`.
    fn reach(&mut self, start: usize, end: usize, found: &mut Vec<usize>) {
        for word in words(start, end, self.step) {
            if let Some(at) = self.of(word).filter(|at| !self.all[*at].reached) {
                self.all[at].reached = true;
                found.push(at);
            }
        }
    }

    /// Marks everything that these lead to, and takes them away.
    fn follow(&mut self, found: &mut Vec<usize>) {
        while let Some(at) = found.pop() {
            let (start, end) = (self.all[at].start, self.all[at].end);
            self.reach(start, end, found);
        }
    }

    /// Marks everything that this one leads to. Returns how many blocks and bytes other calls allocated of that.
    fn follow_one(&mut self, at: usize) -> (u32, u64) {
        self.all[at].reached = true;
        let (mut found, mut next) = (alloc::vec![at], 0);
        while let Some(at) = found.get(next).copied() {
            let (start, end) = (self.all[at].start, self.all[at].end);
            self.reach(start, end, &mut found);
            next += 1;
        }
        let by = self.all[at].by;
        let others = found.iter().map(|at| &self.all[*at]).filter(|b| !is_same_call(&b.by, &by));
        others.fold((0, 0), |(blocks, bytes), b| (blocks + 1, bytes + b.len as u64))
    }

    /// The lost ones by the call that allocated them, those that others of them lead to as well.
    fn lost(&mut self) -> Option<Vec<Leaked>> {
        let lost: Vec<usize> = (0..self.all.len()).filter(|at| !self.all[*at].reached).collect();
        let mut told: Vec<Leaked> = Vec::new();
        for at in &lost {
            let (by, len) = (self.all[*at].by, self.all[*at].len as u64);
            let one = entry(&mut told, by);
            one.blocks += 1;
            one.bytes += len;
            for word in words(self.all[*at].start, self.all[*at].end, self.step) {
                if let Some(other) = self.of(word).filter(|other| other != at) {
                    self.all[other].inner = true;
                }
            }
        }
        // Those that only lead to each other come last: the first of them leads to the others.
        let (heads, rings): (Vec<usize>, Vec<usize>) = lost.into_iter().partition(|at| !self.all[*at].inner);
        for at in heads.into_iter().chain(rings) {
            if self.all[at].reached {
                continue;
            }
            let (blocks, bytes) = self.follow_one(at);
            let one = entry(&mut told, self.all[at].by);
            one.is_head = true;
            one.inner_blocks += blocks;
            one.inner_bytes += bytes;
        }
        (told.len() <= MOST_TOLD).then_some(told)
    }
}

fn is_same_call(one: &Involved, other: &Involved) -> bool {
    (one.site, one.method) == (other.site, other.method)
}

/// What is told of the blocks of this call.
fn entry(told: &mut Vec<Leaked>, by: Involved) -> &mut Leaked {
    let at = told.iter().position(|l| is_same_call(&l.by, &by)).unwrap_or_else(|| {
        told.push(Leaked { by, blocks: 0, bytes: 0, is_head: false, inner_blocks: 0, inner_bytes: 0 });
        told.len() - 1
    });
    &mut told[at]
}

/// The words of a range that begin at multiples of `step`.
fn words(start: usize, end: usize, step: usize) -> impl Iterator<Item = usize> {
    let first = start.next_multiple_of(step);
    // Behind the last one's first byte.
    let end = end.saturating_sub(size_of::<usize>() - 1);
    // SAFETY: callers give mapped, readable memory, which nobody writes meanwhile.
    (first..end).step_by(step).map(|at| unsafe { (at as *const usize).read_unaligned() })
}
