//! How the second step of a race will turn out when it is made before the first: a try_lock that
//! found the mutex taken may get it, a compare-exchange may find what it expects, or not. What it
//! will depend on then is what decides whether its reversal is explored already.
//!
//! Where the execution does not tell, it is taken for what depends on more. That explores too much
//! at worst: what turns out to be asleep is cut off by the executor.

use super::causality::{Causality, Step};
use super::op_table::{OpId, OpTable};
use raddle_schedule::{Op, OpKind, world};

/// What this step will do if it is made before that one.
pub fn before(causality: &Causality, op_table: &mut OpTable, first: usize, second: usize) -> OpId {
    let step = causality.steps[second];
    let op = *op_table.op(step.op_id);
    let other = *op_table.op(causality.steps[first].op_id);
    let failed = match op.kind {
        OpKind::AtomicRmw => compare(causality, op_table, first, &step, &op),
        OpKind::TryLock if op_table.has_several(causality.steps[first].op_id) => {
            !causality.is_free_before(first, second, op.object, op_table)
        }
        OpKind::TryLock if other.failed || other.kind == OpKind::AtomicStore => op.failed,
        OpKind::TryLock => matches!(other.kind, OpKind::Unlock | OpKind::CondEnqueue),
        OpKind::TryReadLock => causality.rwlock_before(first, second, op.object, op_table).1,
        OpKind::TryWriteLock => causality.rwlock_before(first, second, op.object, op_table) != (0, false),
        OpKind::SemTryWait if other.kind == OpKind::SemPost => {
            let value = causality.steps[first].value;
            value == 0 && !causality.raised_between(first, second, &other, op_table)
        }
        OpKind::SemTryWait if other.failed => op.failed,
        // With one birth less before it there may be room, and there may not.
        OpKind::Spawn => op.failed,
        OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake => {
            finds_nobody(causality, op_table, first, second, op.object)
        }
        // A wait with a time limit ends in one way or the other.
        OpKind::CondWake if step.timed && step.woken == Some(first as u32) => {
            return op_table.like(step.op_id, &op.time_out(), false);
        }
        OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock if step.timed => {
            let free = match op.kind {
                OpKind::Lock => causality.is_free_before(first, second, op.object, op_table),
                OpKind::ReadLock => !causality.rwlock_before(first, second, op.object, op_table).1,
                _ => causality.rwlock_before(first, second, op.object, op_table) == (0, false),
            };
            let op = if free { op } else { op.time_out() };
            return op_table.like(step.op_id, &op, false);
        }
        // The end of a wait for a lock: with another holder's step gone it may have got it.
        OpKind::Timeout if step.timed && op.other != 0 => {
            let free = causality.is_free_before(first, second, op.other, op_table);
            let lock = Op { kind: OpKind::Lock, other: 0, failed: false, ..op };
            return op_table.like(step.op_id, if free { &lock } else { &op }, false);
        }
        OpKind::Timeout
            if step.timed
                && other.object == op.object
                && (other.takes_rwlock().or(other.gives_rwlock()).is_some()) =>
        {
            let (readers, writer) = causality.rwlock_before(first, second, op.object, op_table);
            let free = !writer && (readers == 0 || !op.failed);
            let lock = rw_wait(&op);
            return op_table.like(step.op_id, if free { &lock } else { &op }, false);
        }
        OpKind::ChannelRecv | OpKind::Timeout if step.timed && world::is_channel(op.object) => {
            let above = causality.is_readable_before(first, second, op.object, op_table);
            let kind = if above { OpKind::ChannelRecv } else { OpKind::Timeout };
            return op_table.like(step.op_id, &Op { kind, failed: false, ..op }, false);
        }
        OpKind::SemWait | OpKind::Park | OpKind::Timeout if step.timed => {
            let (post, wait) = match other.kind {
                OpKind::Park | OpKind::Unpark => (OpKind::Unpark, OpKind::Park),
                OpKind::SemWait | OpKind::SemTryWait | OpKind::SemPost => (OpKind::SemPost, OpKind::SemWait),
                OpKind::Timeout if op.kind == OpKind::Park => (OpKind::Unpark, OpKind::Park),
                OpKind::Timeout if op.kind == OpKind::SemWait => (OpKind::SemPost, OpKind::SemWait),
                _ => return step.op_id,
            };
            let post = Op { kind: post, ..op };
            let above =
                causality.steps[first].value > 0 || causality.raised_between(first, second, &post, op_table);
            let kind = if above { wait } else { OpKind::Timeout };
            return op_table.like(step.op_id, &Op { kind, failed: false, ..op }, false);
        }
        _ => false,
    };
    // Whether it will end the execution as well is anybody's guess: no. But what has nothing to do with
    // the first step does what it did, and the two race for no other reason than the end.
    let same = op_table.ends(step.op_id) && !op_table.meets(causality.steps[first].op_id, step.op_id);
    op_table.like(step.op_id, &Op { failed, ..op }, same)
}

/// What a thread would do in the state before a step, as far as its later step `next` tells: what
/// depends on more, where it does not.
pub fn at(causality: &Causality, op_table: &mut OpTable, number: usize, next: usize) -> OpId {
    let step = causality.steps[next];
    let op = *op_table.op(step.op_id);
    match op.kind {
        OpKind::CondWake if step.timed && step.woken.is_none_or(|w| w as usize >= number) => {
            op_table.like(step.op_id, &op.time_out(), false)
        }
        // Whoever took what it waits for tells what kind of wait it is.
        OpKind::Timeout if step.timed => {
            let taken = (number..next.min(causality.made)).find_map(|k| {
                let other = op_table.op(causality.steps[k].op_id);
                let kind = match other.kind {
                    OpKind::SemWait | OpKind::SemTryWait => OpKind::SemWait,
                    OpKind::Lock | OpKind::TryLock => OpKind::Lock,
                    _ if other.takes_rwlock().is_some() => rw_wait(&op).kind,
                    _ => return None,
                };
                (other.object == op.object && !other.failed).then_some(kind)
            });
            let wait = |kind| Op { kind, other: 0, failed: false, ..op };
            taken.map_or(step.op_id, |kind| op_table.like(step.op_id, &wait(kind), false))
        }
        _ => step.op_id,
    }
}

/// The wait for a read-write lock whose time-out this is.
fn rw_wait(time_out: &Op) -> Op {
    let kind = if time_out.failed { OpKind::WriteLock } else { OpKind::ReadLock };
    Op { kind, failed: false, ..*time_out }
}

/// Will a notify find nobody in this queue?
fn finds_nobody(causality: &Causality, op_table: &OpTable, first: usize, second: usize, queue: u64) -> bool {
    let mut waiting: u64 = 0;
    for number in 0..second.min(causality.made) {
        if number >= first && causality.before(first, number) {
            continue;
        }
        let step = &causality.steps[number];
        let op = op_table.op(step.op_id);
        let own = 1 << step.thread;
        match op.kind {
            _ if op.object != queue => {}
            OpKind::CondEnqueue => waiting |= own,
            OpKind::FutexWait if !op.failed => waiting |= own,
            OpKind::Timeout => waiting &= !own,
            OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake => waiting &= !step.value,
            _ => {}
        }
    }
    waiting == 0
}

/// Will a compare-exchange find something else than it expects?
fn compare(causality: &Causality, op_table: &OpTable, first: usize, step: &Step, op: &Op) -> bool {
    let found = op_table.op(causality.steps[first].op_id);
    let writes = |part: &Op| raddle_schedule::op::dependent(part, &load(op));
    let parts_write = op_table.parts(causality.steps[first].op_id).iter().any(writes);
    if (found.kind == OpKind::AtomicLoad || found.failed) && !parts_write {
        // It finds what it has found.
        return op.failed;
    }
    match (step.expected, value_before(causality, op_table, first, op)) {
        // Above the size of the variable stands what its type has there.
        (Some(expected), Some(value)) => (expected ^ value) << (64 - 8 * op.size.clamp(1, 8)) != 0,
        _ => false,
    }
}

/// What the variable of this operation held before that step, if it can be told.
pub(super) fn value_before(
    causality: &Causality,
    op_table: &OpTable,
    number: usize,
    variable: &Op,
) -> Option<u64> {
    let is_same = |op: &Op| op.object == variable.object && op.size == variable.size;
    let writer = &causality.steps[number];
    let op = op_table.op(writer.op_id);
    if matches!(op.kind, OpKind::AtomicRmw | OpKind::AtomicLoad) && is_same(op) {
        return Some(writer.value);
    }
    if op.kind == OpKind::AtomicStore && is_same(op) && writer.overwrote.is_some() {
        return writer.overwrote;
    }
    let store = Op { kind: OpKind::AtomicStore, other: 0, failed: false, ..*variable };
    for (at, step) in causality.steps[..number].iter().enumerate().rev() {
        let parts = causality.parts(at).iter().rev().map(|part| (&part.op, part.value));
        for (op, value) in parts.chain([(op_table.op(step.op_id), step.value)]) {
            if raddle_schedule::op::dependent(op, &store) {
                // What a read-modify-write has stored is not recorded, only what it has found.
                let tells =
                    is_same(op) && (op.kind.is_atomic() && (op.kind != OpKind::AtomicRmw || op.failed));
                return tells.then_some(value);
            }
        }
    }
    None
}

/// A load of the same variable.
fn load(op: &Op) -> Op {
    Op { kind: OpKind::AtomicLoad, other: 0, failed: false, ..*op }
}
