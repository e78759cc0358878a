//! Which orders of two dependent steps are races: could the second have come first?

use super::{Causality, Step};
use crate::mutants::Mutant;
use crate::reduction::op_table::OpTable;
use crate::reduction::predicted_effect::value_before;
use raddle_schedule::op::is_set;
use raddle_schedule::{Op, OpKind, flags, round, world};

/// An operation that may let a spinning thread go on.
struct Change<'a> {
    op: &'a Op,
    /// It left what was there.
    same: bool,
    /// Those that say what a lock that is given back changes.
    flags: u8,
}

impl Causality {
    /// Could the step `number` have been made before `candidate`, with everything between that
    /// does not come after `candidate`?
    pub(super) fn could_come_before(
        &self,
        candidate: usize,
        number: usize,
        step: &Step,
        op: &Op,
        op_table: &OpTable,
    ) -> bool {
        // With a time limit a wait could have ended before; but who was woken out of a queue waits for
        // the mutex as long as it takes.
        let may_time_out = match op.kind {
            OpKind::CondWake => step.woken == Some(candidate as u32),
            kind => step.spin.is_none() || kind == OpKind::Timeout,
        };
        if step.timed && may_time_out {
            return true;
        }
        if step.spin.is_some() && !round::takes(op.kind) && (!step.timed || op.kind == OpKind::Timeout) {
            return true;
        }
        let earlier = &self.steps[candidate];
        let other = op_table.op(earlier.op_id);
        match op.kind {
            // One that cleared its poison says nothing about who had it.
            OpKind::Lock if other.kind == OpKind::AtomicStore => {
                self.is_free_before(candidate, number, op.object, op_table)
            }
            OpKind::Lock if !op_table.has_several(earlier.op_id) && !op_table.has_several(step.op_id) => {
                !gives_back(other, op.object)
            }
            // The first thing that was done to it there shows whether somebody had it before.
            OpKind::Lock => match self.ops(candidate, op_table).find(|op2| op2.mutex() == Some(op.object)) {
                Some(first) => !gives_back(&first, op.object),
                None => self.is_free_before(candidate, number, op.object, op_table),
            },
            // The load was not enabled before the variable was set. The value is told of every atomic operation; a plain write
            // is before the variable's first use.
            OpKind::AtomicLoad if op.blocks_until_set() => {
                value_before(self, op_table, candidate, op).is_some_and(is_set)
            }
            OpKind::ReadLock => !self.rwlock_before(candidate, number, op.object, op_table).1,
            OpKind::WriteLock => self.readers_aside(candidate, number, op.object, op_table).is_some(),
            OpKind::CondWake => {
                step.woken.is_some_and(|woken| (woken as usize) < self.gone_on(number))
                    && (op.other == 0 || self.is_free_before(candidate, number, op.other, op_table))
            }
            OpKind::SemWait | OpKind::Park => match other.kind {
                OpKind::SemWait | OpKind::Park => true,
                OpKind::SemTryWait => !other.failed,
                OpKind::SemPost | OpKind::Unpark => {
                    earlier.value > 0 || self.raised_between(candidate, number, other, op_table)
                }
                OpKind::Timeout => false,
                _ => true,
            },
            OpKind::ChannelRecv if world::waits(op.size) && other.channels().is_some() => {
                self.is_readable_before(candidate, number, op.object, op_table)
            }
            _ => true,
        }
    }

    /// Was something to be read from this channel before `candidate`, which is an operation on it, or is there by what
    /// was done since that does not come after `candidate`? Each operation on a channel says whether something was there before it.
    pub fn is_readable_before(
        &self,
        candidate: usize,
        number: usize,
        channel: u64,
        op_table: &OpTable,
    ) -> bool {
        let (op, value) = (op_table.op(self.steps[candidate].op_id), self.steps[candidate].value);
        let was = match op.object == channel {
            // One that waited for it in vain.
            true if op.kind == OpKind::Timeout => false,
            true => value & world::found::READABLE != 0,
            // One that does not say may have found it readable.
            false if world::found::more(value) & world::bit(channel) == 0 => true,
            false => world::found::ready(value) & world::bit(channel) != 0,
        };
        let makes_readable = |op: &Op| match op.kind {
            OpKind::ChannelSend => op.reaches(channel),
            // What is read makes room for who is told of that by an epoll.
            OpKind::ChannelRecv => op.object != channel && op.reaches(channel) && !world::looks(op.size),
            _ => false,
        };
        was || (candidate + 1..self.gone_on(number)).any(|k| {
            let after = &self.steps[k];
            let is_ready = makes_readable(op_table.op(after.op_id));
            is_ready && !self.before(candidate, k)
        })
    }

    /// Could the thread of a step that goes round a loop once more have been let go before `candidate`? Others could anyway.
    pub(super) fn is_let_go_before(
        &self,
        candidate: usize,
        number: usize,
        step: &Step,
        op_table: &OpTable,
    ) -> bool {
        let changes = |k: usize| self.is_change(k, step, op_table) && !self.before(candidate, k);
        step.spin.is_none() || (0..self.gone_on(number)).any(|k| k != candidate && changes(k))
    }

    /// The steps before this one from which an execution went on: nothing can come after the step that
    /// ended it, so that one lets nobody go on.
    fn gone_on(&self, number: usize) -> usize {
        number.min(self.made - usize::from(self.ends && self.made > 0))
    }

    /// Is the mutex free after everything before `number` that does not come after `candidate`?
    pub fn is_free_before(&self, candidate: usize, number: usize, mutex: u64, op_table: &OpTable) -> bool {
        let steps = (0..self.gone_on(number)).rev().filter(|k| !self.before(candidate, *k));
        let mut of_mutex =
            steps.flat_map(|k| self.ops(k, op_table).rev()).filter(|op| op.mutex() == Some(mutex));
        // The end of a wait by time-out takes nothing yet.
        let last = of_mutex.find(|op| !op.failed && op.kind != OpKind::Timeout);
        last.is_none_or(|op| gives_back(&op, mutex))
    }

    /// The operations of a step, in order.
    fn ops(&self, number: usize, op_table: &OpTable) -> impl DoubleEndedIterator<Item = Op> {
        let first = *op_table.op(self.steps[number].op_id);
        std::iter::once(first).chain(self.parts(number).iter().map(|part| part.op))
    }

    /// Those that may be of read-write locks.
    fn lock_ops(&self, number: usize, op_table: &OpTable) -> impl Iterator<Item = Op> {
        let most = if self.mutant == Some(Mutant::FirstOfLocks) { 1 } else { usize::MAX };
        self.ops(number, op_table).take(most)
    }

    /// How many readers hold this read-write lock, and whether a writer does, after everything before `number`
    /// that does not come after `candidate`.
    pub fn rwlock_before(
        &self,
        candidate: usize,
        number: usize,
        lock: u64,
        op_table: &OpTable,
    ) -> (i32, bool) {
        let of_lock = (0..self.gone_on(number)).filter(|k| !self.before(candidate, *k));
        let of_lock = of_lock.flat_map(|k| self.lock_ops(k, op_table)).filter(|op| op.object == lock);
        of_lock.fold((0, false), |(readers, writer), op| match (op.takes_rwlock(), op.gives_rwlock()) {
            (Some(_), _) if op.failed => (readers, writer),
            (Some(true), _) => (readers, true),
            (Some(false), _) => (readers + 1, writer),
            (_, Some(true)) => (readers, false),
            (_, Some(false)) => (readers - 1, writer),
            _ => (readers, writer),
        })
    }

    /// Readers that have this read-write lock, in the way of a writer that is to come before `candidate`: those behind that one, which
    /// have it though nothing that comes after `candidate`, or after another of them, is done. Readers commute, so none of them comes
    /// after `candidate`; the writer comes before all of them, or not at all. `None` if it does not.
    pub fn readers_aside(
        &self,
        candidate: usize,
        number: usize,
        lock: u64,
        op_table: &OpTable,
    ) -> Option<Vec<usize>> {
        let mut aside: Vec<usize> = Vec::new();
        loop {
            let gone =
                |k: usize| self.before(candidate, k) || aside.iter().any(|a| *a == k || self.before(*a, k));
            // Of each thread: how often it has the lock, and the step by which it has come to have it.
            let mut readers: Vec<(u8, usize, usize)> = Vec::new();
            let mut written = false;
            let still = (0..self.gone_on(number)).filter(|k| !gone(*k));
            for (k, op) in still.flat_map(|k| self.lock_ops(k, op_table).map(move |op| (k, op))) {
                let thread = self.steps[k].thread;
                if op.object != lock {
                    continue;
                }
                match (op.takes_rwlock(), op.gives_rwlock()) {
                    (Some(_), _) if op.failed => {}
                    (Some(true), _) => written = true,
                    (_, Some(true)) => written = false,
                    (Some(false), _) => match readers.iter_mut().find(|(t, ..)| *t == thread) {
                        Some((_, often, _)) => *often += 1,
                        None => readers.push((thread, 1, k)),
                    },
                    (_, Some(false)) => {
                        // A lock may be given back by another thread than the one that took it.
                        let own = readers.iter().position(|(t, ..)| *t == thread);
                        let Some(at) = own.or_else(|| readers.len().checked_sub(1)) else { continue };
                        readers[at].1 -= 1;
                        if readers[at].1 == 0 {
                            readers.remove(at);
                        }
                    }
                    _ => {}
                }
            }
            match readers.first() {
                _ if written => return None,
                None => return Some(aside),
                _ if self.mutant == Some(Mutant::OneReaderAside) => return None,
                // Nothing that the writer comes after can be left aside, its own reading above all.
                Some((.., k)) if *k > candidate && !self.leads_to(*k, number) => aside.push(*k),
                Some(_) => return None,
            }
        }
    }

    /// Does this step let the thread of that one, which spins, go round once more: a change of what it
    /// has read, since it has read it (algorithms, rule 9)?
    pub fn is_change(&self, candidate: usize, spinner: &Step, op_table: &OpTable) -> bool {
        let Some(spin) = spinner.spin else { return false };
        let by = &self.steps[candidate];
        if by.thread == spinner.thread {
            return false;
        }
        let parts =
            self.parts(candidate).iter().map(|part| Change { op: &part.op, same: part.same, flags: 0 });
        let first = Change { op: op_table.op(by.op_id), same: by.same, flags: by.flags() };
        parts.chain([first]).any(|change| self.lets_go(&change, candidate, spinner, spin, op_table))
    }

    /// The same of one of the operations of a step.
    fn lets_go(
        &self,
        Change { op, same, flags }: &Change,
        candidate: usize,
        spinner: &Step,
        spin: u32,
        op_table: &OpTable,
    ) -> bool {
        self.spins[spin as usize].iter().any(|(kind, object)| {
            let changes = match kind {
                kind if round::takes(*kind) => round::concerns(op, *flags, *object),
                // A lock that could not be had is free again, whatever was done under it.
                _ if *same && op.kind == OpKind::AtomicRmw => false,
                OpKind::TryLock => gives_back(op, *object) && op.mutex() == Some(*object) && !op.failed,
                OpKind::TryReadLock | OpKind::TryWriteLock => {
                    op.gives_rwlock().is_some() && op.object == *object
                }
                OpKind::SemTryWait => op.kind == OpKind::SemPost && op.object == *object,
                OpKind::Timeout if world::is_channel(*object) => {
                    op.kind == OpKind::ChannelSend && op.reaches(*object)
                }
                OpKind::Timeout => {
                    matches!(op.kind, OpKind::SemPost | OpKind::Unpark) && op.object == *object
                }
                OpKind::ChannelRecv => op.kind == OpKind::ChannelSend && op.reaches(*object),
                _ => {
                    let read =
                        Op { kind: OpKind::AtomicLoad, object: *object, other: 0, size: 1, failed: false };
                    op_table.dependent_ops(op, &read)
                }
            };
            changes && self.last_read(spinner, *object, op_table) < Some(candidate)
        })
    }

    /// The step in which this thread, which spins, has last read that.
    fn last_read(&self, spinner: &Step, object: u64, op_table: &OpTable) -> Option<usize> {
        let own = self.own[usize::from(spinner.thread)].iter().rev().map(|s| *s as usize);
        own.filter(|s| self.steps[*s].index < spinner.index).find(|s| {
            let op = op_table.op(self.steps[*s].op_id);
            let is_part = || self.parts(*s).iter().any(|part| part.op.object == object);
            op.object == object || op.mutex() == Some(object) || is_part()
        })
    }

    /// Was the semaphore, or the channel's counter, raised between the two by a step that need not come after the first?
    pub fn raised_between(&self, candidate: usize, number: usize, post: &Op, op_table: &OpTable) -> bool {
        (candidate + 1..self.gone_on(number)).any(|k| {
            let op = op_table.op(self.steps[k].op_id);
            op.kind == post.kind && op.object == post.object && !self.before(candidate, k)
        })
    }

    /// A thread that spins may be let go by something that came after it went on.
    pub(super) fn let_go_otherwise(&mut self, op_table: &OpTable) {
        for i in 0..self.stuck.len() {
            let race = self.stuck[i];
            let (first, second) = (race.first as usize, race.second as usize);
            let spinner = self.steps[second];
            let other = |k: usize| self.is_change(k, &spinner, op_table) && !self.before(first, k);
            if (second + 1..self.gone_on(self.made)).any(other) {
                self.races.push(race);
            }
        }
    }
}

impl Step {
    /// Of its event's flags those that say whether it lets go who goes round a loop.
    fn flags(&self) -> u8 {
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        flag(self.same, flags::UNCHANGED)
            | flag(self.spin.is_some(), flags::AWAIT)
            | flag(self.timed, flags::TIMED)
    }
}

/// Does this operation leave the mutex to others, or show that somebody held it? A lock cannot
/// have come right before it.
fn gives_back(op: &Op, mutex: u64) -> bool {
    match op.kind {
        OpKind::Unlock => true,
        OpKind::CondEnqueue => op.other == mutex,
        OpKind::TryLock => op.failed,
        OpKind::Timeout => true,
        _ => false,
    }
}
