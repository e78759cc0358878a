//! Shadow memory: for every byte the accesses that a later access could still race with.
//!
//! Memory is cut into granules of 8 bytes; a granule has a list of records, each an access with
//! the mask of bytes it stands for. A new access is compared with the records of its granules.
//!
//! A record may be dropped for a byte once nothing can race with it there that does not also race
//! with the newer access (FastTrack's reasoning, PLDI 2009, made exact for atomics and bytes): the
//! new access is ordered after it, conflicts with everything that it conflicts with (is a write if
//! it was a write, and is not atomic unless it was), and covers that byte. An access that is
//! unordered with a dropped one is then unordered with the newer as well. So an atomic access
//! never replaces a plain one, one in an atomic block none outside of such, and a read never a write.
//!
//! Ranges over `LARGE` are kept in `Ranges`. Only they need to know which granules lie in an
//! address range, so the granules are put in order when the first one comes, and later those that
//! are new.

use super::ranges::Ranges;
use super::table::Table;
use raddle_schedule::{Event, OpKind};
use std::collections::BTreeMap;

/// Ranges longer than this are not cut into granules.
const LARGE: u64 = 4096;
const NONE: u32 = u32::MAX;
const WRITE: u8 = 1;
const ATOMIC: u8 = 2;
/// In a block that nobody else runs in ([`super::alone`]): two of them never meet.
pub(super) const ALONE: u8 = 4;

/// One access, as far as races are concerned.
#[derive(Clone, Copy, Debug)]
pub struct Now<'a> {
    /// Its index in the trace.
    pub event: u32,
    /// Who.
    pub thread: u8,
    /// [`WRITE`], [`ATOMIC`] and [`ALONE`].
    pub(super) kind: u8,
    /// The thread's epoch.
    pub epoch: u32,
    /// What the thread knows of the others.
    pub clock: &'a [u32],
}

/// An access that a later one could race with, at the bytes of `mask`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) epoch: u32,
    pub(super) event: u32,
    /// Next record of the granule.
    next: u32,
    pub(super) thread: u8,
    mask: u8,
    pub(super) kind: u8,
}

const _: () = assert!(size_of::<Record>() == 16);

/// The shadow of one execution; memory is kept for the next.
#[derive(Default)]
pub struct Shadow {
    granules: Table,
    /// First record and address (over 8) of each granule.
    heads: Vec<u32>,
    keys: Vec<u64>,
    records: Vec<Record>,
    ranges: Ranges,
    /// The first so many granules by key.
    sorted: BTreeMap<u64, u32>,
}

impl<'a> Now<'a> {
    /// An event as an access.
    pub fn new(index: usize, event: &Event, epoch: u32, clock: &'a [u32]) -> Self {
        let kind = match event.kind() {
            // What is promoted is reported once, and races only with what is not.
            OpKind::Read if event.is_promoted() => ATOMIC,
            OpKind::Write if event.is_promoted() => WRITE | ATOMIC,
            OpKind::Read => 0,
            OpKind::Write | OpKind::Free => WRITE,
            OpKind::AtomicStore => WRITE | ATOMIC,
            OpKind::AtomicRmw if !event.failed() => WRITE | ATOMIC,
            _ => ATOMIC,
        };
        Now { event: index as u32, thread: event.thread(), kind, epoch, clock }
    }

    /// Does this access know of that record?
    #[inline]
    pub(super) fn ordered(&self, r: &Record) -> bool {
        r.thread == self.thread || self.clock[r.thread as usize] >= r.epoch
    }

    pub(super) fn record(&self, mask: u8) -> Record {
        Record {
            epoch: self.epoch,
            event: self.event,
            next: NONE,
            thread: self.thread,
            mask,
            kind: self.kind,
        }
    }
}

/// Do two accesses to the same byte race when nothing orders them?
#[inline]
pub(super) fn conflict(a: u8, b: u8) -> bool {
    (a | b) & WRITE != 0 && a & b & (ATOMIC | ALONE) == 0
}

/// Does everything that conflicts with `old` conflict with `new`?
#[inline]
pub(super) fn stands_for(new: u8, old: u8) -> bool {
    old & WRITE & !new == 0 && new & (ATOMIC | ALONE) & !old == 0
}

impl Shadow {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.granules.clear();
        self.heads.clear();
        self.keys.clear();
        self.records.clear();
        self.ranges.clear();
        self.sorted.clear();
    }

    /// Compares an access to these bytes with earlier ones, and remembers it. Calls `race` with
    /// the event of each earlier one that nothing orders before it.
    #[inline]
    pub fn access(&mut self, address: u64, size: u64, now: &Now, mut race: impl FnMut(u32)) {
        let end = address + size.max(1);
        if !self.ranges.is_empty() {
            self.ranges.check(address, end, now, &mut race);
        }
        let (first, last) = (address >> 3, (end - 1) >> 3);
        if first == last {
            let mask = (u8::MAX >> (8 - (end - address))) << (address & 7);
            return self.granule(first, mask, now, &mut race);
        }
        if end - address > LARGE {
            return self.large(address, end, now, &mut race);
        }
        for key in first..=last {
            self.granule(key, mask_of(key, address, end), now, &mut race);
        }
    }

    /// One granule of an access.
    #[inline]
    fn granule(&mut self, key: u64, mask: u8, now: &Now, race: &mut impl FnMut(u32)) {
        let g = self.granules.index(key);
        if g == self.heads.len() {
            self.heads.push(NONE);
            self.keys.push(key);
        }
        let mut replaced = NONE;
        let mut redundant = false;
        let mut at = self.heads[g];
        while at != NONE {
            let r = &mut self.records[at as usize];
            if r.mask & mask != 0 {
                if !now.ordered(r) {
                    if conflict(r.kind, now.kind) {
                        race(r.event);
                    }
                } else if stands_for(now.kind, r.kind) {
                    r.mask &= !mask;
                    // Records without bytes stay in the list; the first is used for this access.
                    if r.mask == 0 && replaced == NONE {
                        replaced = at;
                    }
                } else if r.epoch == now.epoch
                    && r.thread == now.thread
                    && r.mask & mask == mask
                    && stands_for(r.kind, now.kind)
                {
                    // Whoever knows of the one knows of the other.
                    redundant = true;
                }
            } else if r.mask == 0 && replaced == NONE {
                replaced = at;
            }
            at = r.next;
        }
        if redundant {
            return;
        }
        let mut record = now.record(mask);
        if replaced != NONE {
            let r = &mut self.records[replaced as usize];
            record.next = r.next;
            *r = record;
            return;
        }
        record.next = self.heads[g];
        self.heads[g] = self.records.len() as u32;
        self.records.push(record);
    }

    /// A large access: against every granule in its range, then kept as a range.
    #[cold]
    fn large(&mut self, address: u64, end: u64, now: &Now, race: &mut impl FnMut(u32)) {
        for (g, key) in self.keys.iter().enumerate().skip(self.sorted.len()) {
            self.sorted.insert(*key, g as u32);
        }
        let mut old = Vec::new();
        for (key, g) in self.sorted.range(address >> 3..=(end - 1) >> 3) {
            let mask = mask_of(*key, address, end);
            let mut at = self.heads[*g as usize];
            while at != NONE {
                let r = &mut self.records[at as usize];
                if r.mask & mask != 0 {
                    if !now.ordered(r) && conflict(r.kind, now.kind) {
                        old.push(r.event);
                    } else if now.ordered(r) && stands_for(now.kind, r.kind) {
                        r.mask &= !mask;
                    }
                }
                at = r.next;
            }
        }
        old.sort_unstable();
        old.dedup();
        old.into_iter().for_each(race);
        self.ranges.add(address, end, now);
    }
}

/// The bytes of a granule that lie in a range.
#[inline]
fn mask_of(key: u64, address: u64, end: u64) -> u8 {
    let start = key << 3;
    let low = address.saturating_sub(start).min(8) as u32;
    let high = end.saturating_sub(start).min(8) as u32;
    if low >= high {
        return 0;
    }
    (u8::MAX >> (8 - (high - low))) << low
}
