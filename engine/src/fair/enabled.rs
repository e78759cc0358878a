//! Which threads can go on in a state that another interleaving of an execution's class leads to.
//!
//! Such a state is a *cut*: of each thread so many steps, and of each step everything that happens before
//! it. What a thread is about to do there is what it did next in the execution, since it has seen the
//! same. If all that happens before that step is in the cut, it can be made. Otherwise something of it
//! is missing, and either the thread can do the same operation with another outcome, or it has to wait.
//! Which of the two, the operation says ([`Need`]). Where that is not known, it waits: then the class may
//! count as fair though it is not, and no failure is lost.

use crate::reduction::{Causality, OpTable};
use raddle_schedule::ending::alternatives;
use raddle_schedule::{Op, OpKind, world};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// What a thread needs for its next step, if not all that happened before it has happened.
#[derive(Clone, Copy, Debug)]
enum Need {
    /// Nothing: the operation blocks nobody.
    Nothing,
    /// A mutex or a read-write lock.
    Free { object: u64, writes: bool },
    /// A semaphore above zero, which held this many at first.
    Above { object: u64, first: i64 },
    /// Its park token.
    Token,
    /// A thread's last step.
    End(u8),
    /// The step that wakes it, and the mutex.
    Woken { by: Option<usize>, mutex: u64 },
    /// Everything that happened before.
    All,
}

/// A step that takes a lock or gives it back: what it adds to those who have it for reading, and for
/// writing. Of a semaphore the latter is what it takes.
struct Use {
    step: usize,
    readers: i64,
    writers: i64,
}

/// Reads an execution once, and answers for its cuts.
pub struct Enabled<'a> {
    causality: &'a Causality,
    op_table: &'a OpTable,
    /// The steps of each thread, what it was about to do at the end included.
    pub own: Vec<Vec<usize>>,
    /// By object.
    uses: HashMap<u64, Vec<Use>>,
    /// What semaphores held at first.
    first: HashMap<u64, i64>,
    /// Objects at which a wait has timed out.
    in_vain: HashSet<u64>,
    /// The step that spawned each thread.
    spawned: Vec<Option<usize>>,
    /// Answers about each step that many cuts need.
    asked: Vec<Asked>,
}

/// Answers about one step, each computed when a cut first needs it.
#[derive(Default)]
struct Asked {
    /// The steps of other threads that happen before this one and change what its operations read; `None` where
    /// anything that is missing may change what it does.
    changers: OnceCell<Option<Vec<usize>>>,
    /// The steps that change what a thread has read in its loop.
    changes: OnceCell<Vec<usize>>,
    /// The steps that set the token for which this one waits.
    tokens: OnceCell<Vec<usize>>,
}

/// So many steps of each thread.
pub type Cut = [u32];

impl<'a> Enabled<'a> {
    /// Of an execution that was read.
    pub fn new(causality: &'a Causality, op_table: &'a OpTable) -> Self {
        let steps = &causality.steps;
        let threads = steps.iter().map(|s| usize::from(s.thread) + 1).max().unwrap_or(1);
        let (own, spawned) = (vec![Vec::new(); threads], vec![None; threads]);
        let (uses, first, in_vain) = Default::default();
        let asked = std::iter::repeat_with(Asked::default).take(steps.len()).collect();
        let mut enabled = Enabled { causality, op_table, own, uses, first, in_vain, spawned, asked };
        for (number, step) in steps.iter().enumerate() {
            enabled.own[usize::from(step.thread)].push(number);
            if number < causality.made {
                enabled.note(number);
            }
        }
        enabled
    }

    /// What a step does.
    pub fn op(&self, number: usize) -> &'a Op {
        self.op_table.op(self.causality.steps[number].op_id)
    }

    /// Takes in what a step does to locks and the like.
    fn note(&mut self, step: usize) {
        let (op, value) = (*self.op(step), self.causality.steps[step].value);
        use OpKind::*;
        if op.kind == Spawn
            && let Some(spawned) = self.spawned.get_mut(value as usize)
        {
            *spawned = Some(step);
        }
        if matches!(op.kind, SemPost | SemWait | SemTryWait) {
            self.first.entry(op.object).or_insert(value as i64);
        }
        if op.kind == Timeout {
            self.in_vain.insert(op.object);
        }
        if op.failed {
            return;
        }
        let (object, readers, writers) = match op.kind {
            Lock | TryLock | WriteLock | TryWriteLock | SemWait | SemTryWait => (op.object, 0, 1),
            Unlock | WriteUnlock | SemPost => (op.object, 0, -1),
            CondEnqueue if op.other != 0 => (op.other, 0, -1),
            CondWake if op.other != 0 => (op.other, 0, 1),
            ReadLock | TryReadLock => (op.object, 1, 0),
            ReadUnlock => (op.object, -1, 0),
            _ => return,
        };
        self.uses.entry(object).or_default().push(Use { step, readers, writers });
    }

    /// Is this step in the cut?
    fn is_in(&self, number: usize, cut: &Cut) -> bool {
        let step = &self.causality.steps[number];
        step.index <= cut[usize::from(step.thread)]
    }

    /// The next step of a thread, if it makes one in the execution and all that happens before it is in the
    /// cut: then it can be made.
    pub fn next(&self, thread: usize, cut: &Cut) -> Option<usize> {
        let number = *self.own[thread].get(cut[thread] as usize)?;
        (number < self.causality.made && self.is_due(thread, number, cut)).then_some(number)
    }

    /// Does a thread's next step do here what it did? It has seen the same, so it does if nothing is missing that changes
    /// what its operations read.
    pub fn is_as_it_was(&self, number: usize, cut: &Cut) -> bool {
        let own = usize::from(self.causality.steps[number].thread);
        if number >= self.causality.made || self.own[own].get(cut[own] as usize) != Some(&number) {
            return false;
        }
        match self.asked[number].changers.get_or_init(|| self.changers(number)) {
            Some(changers) => changers.iter().all(|k| self.is_in(*k, cut)),
            None => self.is_due(own, number, cut),
        }
    }

    /// See [`Asked::changers`].
    fn changers(&self, number: usize) -> Option<Vec<usize>> {
        let Causality { steps, .. } = self.causality;
        let ops = |k: usize| {
            let op_id = steps[k].op_id;
            std::iter::once(self.op_table.op(op_id)).chain(self.op_table.parts(op_id))
        };
        if !ops(number).all(|op| op.kind.is_atomic() && op.other == 0) {
            return None;
        }
        let load = |op: &Op| Op { kind: OpKind::AtomicLoad, failed: false, ..*op };
        let loads: Vec<Op> = ops(number).map(load).collect();
        let changes =
            |k: usize| ops(k).any(|done| loads.iter().any(|load| self.op_table.dependent_ops(done, load)));
        let is_before =
            |k: &usize| steps[*k].thread != steps[number].thread && self.causality.before(*k, number);
        Some((0..number).filter(is_before).filter(|k| changes(*k)).collect())
    }

    fn is_due(&self, thread: usize, number: usize, cut: &Cut) -> bool {
        let clock = self.causality.clock(number).iter().zip(cut).enumerate();
        let mut others = clock.filter(|(other, _)| *other != thread);
        others.all(|(_, (before, made))| before <= made)
    }

    /// The threads that can go on, and those that can only run into their time limit.
    pub fn masks(&self, cut: &Cut) -> (u64, u64) {
        let (mut enabled, mut timeouts, mut ending, mut repeating) = (0, 0, 0, 0);
        for thread in 0..self.own.len() {
            if self.waits_to_end(thread, cut) {
                ending |= 1 << thread;
                continue;
            }
            let (can, timed) = self.can_go(thread, cut);
            enabled |= u64::from(can) << thread;
            timeouts |= u64::from(!can && timed) << thread;
            repeating |= u64::from(self.repeats(thread, can, cut)) << thread;
        }
        ending |= u64::from(self.has_returned(cut) && enabled | timeouts != 0);
        if ending == 0 { (enabled, timeouts) } else { alternatives(enabled, timeouts, ending, repeating) }
    }

    /// Is it about to end the process, which waits for the others?
    fn waits_to_end(&self, thread: usize, cut: &Cut) -> bool {
        let number = self.own[thread].get(cut[thread] as usize);
        number.map(|number| self.op(*number)).is_some_and(|op| op.kind == OpKind::End && op.other == 0)
    }

    /// Has main returned, so that the process may end beside others who repeat themselves?
    fn has_returned(&self, cut: &Cut) -> bool {
        let last = || self.own[0].last().is_some_and(|last| self.op(*last).kind == OpKind::Exit);
        self.causality.main_returned && cut[0] as usize == self.own[0].len() && last()
    }

    /// Does it repeat itself, if it `can` go on or else time out?
    fn repeats(&self, thread: usize, can: bool, cut: &Cut) -> bool {
        let Some(number) = self.own[thread].get(cut[thread] as usize) else { return false };
        let gives_way = matches!(self.op(*number).kind, OpKind::Yield | OpKind::Sleep);
        self.causality.steps[*number].repeats && (gives_way || !can)
    }

    fn can_go(&self, thread: usize, cut: &Cut) -> (bool, bool) {
        let Some(number) = self.own[thread].get(cut[thread] as usize).copied() else { return (false, false) };
        if thread > 0 && !self.spawned[thread].is_some_and(|spawn| self.is_in(spawn, cut)) {
            return (false, false);
        }
        let (step, op) = (&self.causality.steps[number], self.op(number));
        let times_out = op.kind == OpKind::Timeout;
        let is_made = number < self.causality.made;
        if is_made && !times_out && self.is_due(thread, number, cut) {
            return (true, false);
        }
        let need = self.need(number, op);
        let can = match need {
            // It is known at the end.
            Need::All => !is_made && step.alternatives != 0 && self.is_all(cut),
            need => self.has(need, number, cut),
        };
        let waits = match need {
            Need::Woken { by, .. } => !by.is_some_and(|by| self.is_in(by, cut)),
            _ => true,
        };
        // Whoever goes round a loop waits for a change, be it only to time out.
        let is_let_go = step.spin.is_none() || self.is_changed(number, cut);
        match step.timed || times_out {
            true => (can, waits && is_let_go),
            false => (can && is_let_go, false),
        }
    }

    /// Can the thread of a step that was made make it wherever it stands at it?
    pub fn is_never_blocked(&self, number: usize) -> bool {
        let (step, op) = (&self.causality.steps[number], self.op(number));
        let free = !step.timed && step.spin.is_none() && number < self.causality.made;
        free && op.kind.is_atomic() && matches!(self.need(number, op), Need::Nothing)
    }

    /// Is it not known whether a thread can go on?
    pub fn is_unclear(&self, thread: usize, cut: &Cut) -> bool {
        let Some(number) = self.own[thread].get(cut[thread] as usize).copied() else { return false };
        let is_due = number < self.causality.made && self.is_due(thread, number, cut);
        !is_due && matches!(self.need(number, self.op(number)), Need::All)
    }

    fn is_all(&self, cut: &Cut) -> bool {
        let is_made = |next: &usize| *next < self.causality.made;
        self.own.iter().zip(cut).all(|(own, made)| !own.get(*made as usize).is_some_and(is_made))
    }

    fn need(&self, number: usize, op: &Op) -> Need {
        let step = &self.causality.steps[number];
        let object = op.object;
        let above = || match self.first.get(&object) {
            Some(first) => Need::Above { object, first: *first },
            // Nobody has posted or got anything: there was nothing.
            None if self.in_vain.contains(&object) => Need::Above { object, first: 0 },
            None => Need::All,
        };
        use OpKind::*;
        match op.kind {
            Lock | WriteLock => Need::Free { object, writes: true },
            ReadLock => Need::Free { object, writes: false },
            SemWait => above(),
            Park => Need::Token,
            Join => u8::try_from(object).map_or(Need::All, Need::End),
            CondWake => Need::Woken { by: step.woken.map(|by| by as usize), mutex: op.other },
            // The end of a wait: for what, the object tells.
            Timeout if world::is_channel(object) => Need::All,
            Timeout if op.other != 0 && op.other != object => Need::Woken { by: None, mutex: op.other },
            Timeout if op.other != 0 => Need::Free { object, writes: true },
            Timeout if self.first.contains_key(&object) => above(),
            Timeout if object == u64::from(step.thread) => Need::Token,
            Timeout if self.uses.contains_key(&object) => Need::Free { object, writes: op.failed },
            Timeout => Need::Woken { by: None, mutex: 0 },
            Once | ChannelSend | ChannelRecv => Need::All,
            AtomicLoad if op.blocks_until_set() => Need::All,
            _ => Need::Nothing,
        }
    }

    fn has(&self, need: Need, number: usize, cut: &Cut) -> bool {
        match need {
            Need::Nothing => true,
            Need::Free { object, writes } => self.is_free(object, writes, cut),
            Need::Above { object, first } => first > self.used(object, cut).1,
            Need::Token => self.has_token(number, cut),
            Need::End(of) => {
                // Behind it only main ends the process.
                let own = self.own.get(usize::from(of)).into_iter().flatten().rev();
                let mut exits = own.copied().filter(|step| self.op(*step).kind == OpKind::Exit);
                exits.next().is_some_and(|exit| exit < self.causality.made && self.is_in(exit, cut))
            }
            Need::Woken { by, mutex } => {
                by.is_some_and(|by| self.is_in(by, cut)) && (mutex == 0 || self.is_free(mutex, true, cut))
            }
            Need::All => false,
        }
    }

    /// Is what a thread has read in its loop changed?
    fn is_changed(&self, number: usize, cut: &Cut) -> bool {
        let changes = self.asked[number].changes.get_or_init(|| {
            let spinner = &self.causality.steps[number];
            let is_change = |k: &usize| self.causality.is_change(*k, spinner, self.op_table);
            (0..self.causality.made).filter(is_change).collect()
        });
        changes.iter().any(|k| self.is_in(*k, cut))
    }

    fn is_free(&self, object: u64, writes: bool, cut: &Cut) -> bool {
        let (readers, writers) = self.used(object, cut);
        writers <= 0 && (!writes || readers <= 0)
    }

    /// Those who have it for reading, and for writing.
    fn used(&self, object: u64, cut: &Cut) -> (i64, i64) {
        let uses = self.uses.get(&object).into_iter().flatten().filter(|u| self.is_in(u.step, cut));
        uses.fold((0, 0), |(readers, writers), u| (readers + u.readers, writers + u.writers))
    }

    /// Is the token of the thread of this step set, since it took it last or from the beginning?
    fn has_token(&self, number: usize, cut: &Cut) -> bool {
        let thread = self.causality.steps[number].thread;
        let is = |number: usize, kind| {
            let op = self.op(number);
            op.kind == kind && op.object == u64::from(thread)
        };
        let own = &self.own[usize::from(thread)][..cut[usize::from(thread)] as usize];
        let taken = own.iter().rev().copied().find(|number| is(*number, OpKind::Park));
        let all = || (0..self.causality.made).filter(|k| is(*k, OpKind::Unpark)).collect();
        let mut sets = self.asked[number].tokens.get_or_init(all).iter().filter(|k| self.is_in(**k, cut));
        sets.any(|set| taken.is_none_or(|taken| !self.causality.before(*set, taken)))
    }
}
