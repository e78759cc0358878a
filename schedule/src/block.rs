//! ExitBlock's atomic blocks (Bruening and Chapin, paper 004): what a thread does from one lock exit,
//! or its birth, to the next. A block is a step with everything that came along inline, up to the
//! next step. Runner and engine read blocks with the same functions, as they share dependence.

use crate::event::Event;
use crate::op::{Op, OpKind, dependent};
use alloc::vec::Vec;

/// Most operations that a footprint tells apart: those of all threads fit into one plan.
const MOST: usize = 512;

/// Has a block done nothing yet that another thread could notice, once all the locks are given
/// back that it took? Then whoever waits at a lock in it might as well not have begun it.
pub fn is_unnoticed(block: &[Event]) -> bool {
    use OpKind::*;
    let quiet = |e: &Event| {
        let kind = e.kind();
        matches!(kind, LockExit | ThreadStart | Lock | CondWake) || kind.is_data() || kind.is_annotation()
    };
    block.iter().all(quiet)
}

/// What a block read and wrote (section 5.1), as far as the order of two blocks may matter for it.
///
/// Taking and giving back a mutex is no access to it: blocks of one mutex that touch no common data
/// commute. Only who tries a lock notices, so those operations are kept beside the data. Where plain
/// data is not watched, a mutex stands for what it guards ([`Footprint::of`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Taking a mutex counts as writing what it guards.
    locks: bool,
    /// Everything that does something meets it: it chose an input, and with another one it would do
    /// something else; or it did too much to be told.
    any: bool,
    /// Plain reads, then plain writes: ranges by address that neither overlap nor touch.
    reads: Vec<Op>,
    /// See [`Footprint::reads`].
    writes: Vec<Op>,
    /// Everything else, each once.
    other: Vec<Op>,
}

impl Footprint {
    /// That of a block. `locks`: plain data is not watched, so taking a mutex counts as writing what
    /// it guards.
    pub fn of(block: &[Event], locks: bool) -> Footprint {
        let mut print = Footprint { locks, ..Footprint::default() };
        for event in block.iter().filter(|e| !e.kind().is_annotation()) {
            // What is beside a channel does not go over the channel to the runner.
            print.any |= event.kind() == OpKind::Input || more_channels(event) != 0;
            for op in parts(event).into_iter().flatten() {
                match op.kind {
                    OpKind::Read => print.reads.push(op),
                    OpKind::Write | OpKind::Free => print.writes.push(Op { kind: OpKind::Write, ..op }),
                    kind if touches_nothing(kind) => {}
                    _ if print.other.len() > MOST || print.other.contains(&op) => {}
                    _ => print.other.push(op),
                }
            }
        }
        merge(&mut print.reads);
        merge(&mut print.writes);
        if print.reads.len() + print.writes.len() + print.other.len() > MOST {
            return Footprint { locks, any: true, ..Footprint::default() };
        }
        print
    }

    /// May the order of that block and this one, of another thread, matter?
    pub fn meets(&self, block: &[Event]) -> bool {
        let mut done = block.iter().filter(|e| !e.kind().is_annotation());
        done.any(|e| (self.any && !touches_nothing(e.kind())) || self.meets_event(e))
    }

    fn meets_event(&self, event: &Event) -> bool {
        parts(event).into_iter().flatten().any(|op| {
            let end = op.object + u64::from(op.size.max(1));
            // Ranges do not overlap, so the last that begins before its end decides.
            let in_range = |ranges: &[Op]| {
                let after = ranges.partition_point(|r| r.object < end);
                after > 0 && dependent(&ranges[after - 1], &op)
            };
            in_range(&self.reads)
                || in_range(&self.writes)
                || self.other.iter().any(|o| {
                    let both_lock = is_lock(o.kind) && is_lock(op.kind);
                    (self.locks || !both_lock) && dependent(o, &op)
                })
        })
    }

    /// As words for the channel, appended.
    pub fn encode(&self, out: &mut Vec<u64>) {
        let ops = self.reads.len() + self.writes.len() + self.other.len();
        out.push(ops as u64 | u64::from(self.locks) << 32 | u64::from(self.any) << 33);
        for op in self.reads.iter().chain(&self.writes).chain(&self.other) {
            out.push(op.kind as u64 | u64::from(op.failed) << 8 | u64::from(op.size) << 32);
            out.push(op.object);
        }
    }

    /// Back from the front of these words; what follows. `None` when they are no footprint.
    pub fn decode(words: &[u64]) -> Option<(Footprint, &[u64])> {
        let (head, words) = words.split_first()?;
        let (ops, rest) = words.split_at_checked(2 * (*head as u32) as usize)?;
        let (locks, any) = (head >> 32 & 1 != 0, head >> 33 & 1 != 0);
        let mut print = Footprint { locks, any, ..Footprint::default() };
        for [what, object] in ops.as_chunks().0 {
            let kind = OpKind::from_u8(*what as u8)?;
            let failed = what >> 8 & 1 != 0;
            let op = Op { kind, object: *object, other: 0, size: (what >> 32) as u32, failed };
            match kind {
                OpKind::Read => print.reads.push(op),
                OpKind::Write => print.writes.push(op),
                _ => print.other.push(op),
            }
        }
        Some((print, rest))
    }

    /// Bytes it takes beside itself.
    pub fn bytes(&self) -> usize {
        (self.reads.capacity() + self.writes.capacity() + self.other.capacity()) * size_of::<Op>()
    }
}

/// An operation without its mutex, and what it does to that mutex.
fn parts(event: &Event) -> [Option<Op>; 2] {
    let op = event.op();
    let mutex =
        |kind| (op.other != 0).then_some(Op { kind, object: op.other, other: 0, size: 1, failed: false });
    let itself = Op { other: more_channels(event), ..op };
    match op.kind {
        OpKind::CondEnqueue => [Some(itself), mutex(OpKind::Unlock)],
        // It was taken out of the queue by whoever notified it.
        OpKind::CondWake => [None, mutex(OpKind::Lock)],
        // Clearing a mutex's poison: which those who take it notice, as they do a try.
        OpKind::AtomicStore => [Some(itself), mutex(OpKind::TryLock)],
        _ => [Some(itself), None],
    }
}

/// The channels that an operation is about beside its object.
fn more_channels(event: &Event) -> u64 {
    let op = event.op();
    op.channels().map_or(0, |_| op.other)
}

fn is_lock(kind: OpKind) -> bool {
    matches!(kind, OpKind::Lock | OpKind::Unlock)
}

fn touches_nothing(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        ThreadStart | Spawn | Join | Exit | Fence | Yield | Sleep | Statement | Input | Point | LockExit
    )
}

/// Sorts accesses of one kind by address and joins those that overlap or touch.
fn merge(ops: &mut Vec<Op>) {
    ops.sort_unstable_by_key(|o| o.object);
    ops.dedup_by(|next, before| {
        let end = before.object + u64::from(before.size);
        if next.object > end {
            return false;
        }
        let most = end.max(next.object + u64::from(next.size)) - before.object;
        let fits = u32::try_from(most);
        before.size = fits.unwrap_or(before.size);
        fits.is_ok()
    });
    ops.shrink_to_fit();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Order;

    fn access(kind: OpKind, object: u64, size: u32) -> Event {
        let mut event = Event::new(kind, 1, object);
        event.set_access(Order::Relaxed, size);
        event
    }

    fn lock(object: u64) -> [Event; 2] {
        [Event::new(OpKind::Lock, 1, object), Event::new(OpKind::Unlock, 1, object)]
    }

    #[test]
    fn reads_and_writes_intersect_as_section_5_1_means_it() {
        use OpKind::{Read, Write};
        let meets = |a: OpKind, b: OpKind| {
            let print = Footprint::of(&[access(a, 0x100, 8)], false);
            print.meets(&[access(b, 0x104, 4)])
        };
        assert!(meets(Write, Write) && meets(Read, Write) && meets(Write, Read));
        // The paper prints this pair for the one before (errata).
        assert!(!meets(Read, Read));
    }

    #[test]
    fn ranges_are_joined_and_found_again() {
        let block: Vec<Event> = (0..64).rev().map(|i| access(OpKind::Write, 0x100 + 8 * i, 8)).collect();
        let print = Footprint::of(&block, false);
        assert_eq!(print.writes.len(), 1);
        assert!(
            print.meets(&[access(OpKind::Read, 0x2f8, 8)]) && print.meets(&[access(OpKind::Read, 0xf8, 16)])
        );
        assert!(
            !print.meets(&[access(OpKind::Read, 0x300, 8)]) && !print.meets(&[access(OpKind::Read, 0xf8, 8)])
        );
    }

    #[test]
    fn a_mutex_counts_only_where_it_stands_for_data_or_somebody_tries_it() {
        let tried = [Event::new(OpKind::TryLock, 2, 0x40)];
        assert!(!Footprint::of(&lock(0x40), false).meets(&lock(0x40)));
        assert!(Footprint::of(&lock(0x40), true).meets(&lock(0x40)));
        assert!(!Footprint::of(&lock(0x40), true).meets(&lock(0x80)));
        assert!(Footprint::of(&lock(0x40), false).meets(&tried));
        assert!(Footprint::of(&tried, false).meets(&lock(0x40)));
        // A wait gives its mutex back, and enters a queue that a notify looks into.
        let mut wait = Event::new(OpKind::CondEnqueue, 1, 0x80);
        wait.value = 0x40;
        let mut notify = Event::new(OpKind::NotifyOne, 2, 0x80);
        notify.value = 2;
        assert!(!Footprint::of(&[wait], false).meets(&lock(0x40)));
        assert!(Footprint::of(&[wait], true).meets(&lock(0x40)));
        assert!(Footprint::of(&[wait], false).meets(&[notify]));
    }

    #[test]
    fn what_chose_an_input_meets_everything_that_does_something() {
        let print = Footprint::of(&[Event::new(OpKind::Input, 1, 0)], false);
        assert!(print.meets(&lock(0x40)));
        assert!(!print.meets(&[Event::new(OpKind::LockExit, 2, 0x40), Event::new(OpKind::Exit, 2, 2)]));
    }

    #[test]
    fn what_did_very_much_meets_everything() {
        let far = |i: u64| access(OpKind::Read, 0x1000 * i, 4);
        let block: Vec<Event> = (1..=MOST as u64 + 1).map(far).collect();
        assert!(!Footprint::of(&block[1..], false).meets(&lock(0x40)));
        assert!(Footprint::of(&block, false).meets(&lock(0x40)));
    }

    #[test]
    fn footprints_cross_the_channel() {
        let block = [
            access(OpKind::Read, 0x100, 4),
            access(OpKind::Write, 0x200, 8),
            access(OpKind::AtomicRmw, 0x300, 8),
            Event::new(OpKind::Lock, 1, 0x40),
        ];
        for locks in [false, true] {
            let print = Footprint::of(&block, locks);
            let mut words = Vec::new();
            print.encode(&mut words);
            words.push(7);
            assert_eq!(Footprint::decode(&words), Some((print, &[7][..])));
            assert_eq!(Footprint::decode(&words[..3]), None);
        }
    }
}
