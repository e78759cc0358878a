//! The search's happens-before of one execution (algorithms, rule 4): its steps, a vector clock
//! for each, and its *races*, the pairs of steps that can be reversed (Flanagan and Godefroid
//! 2005; Abdulla et al. 2014, definition 3.3).
//!
//! Two steps e before e' of different threads race if they depend on each other, nothing between
//! them orders them too, and the thread of e' could have made its step before e. The last is a
//! question for operations that block ([`super::blocking`]): a lock cannot come before the unlock
//! that it waited for; it races with the lock before that (algorithms, rule 2).
//!
//! After the last step come the *pending* operations of unfinished threads: what would have been
//! done next takes part in races like what was done, however the execution ended. A step in
//! which the execution was ended is reversed with whatever could have come after it.
//!
//! Executions that are run after one another mostly begin with the same steps. What was found of
//! those is kept, and what was entered for the steps after them is taken back ([`Entered`]).

mod clocks;
mod objects;
mod reading;
mod reversible;

use super::blocking::Waking;
use super::op_table::{OpId, OpTable};
use super::threads::Threads;
use crate::analysis::Table;
use crate::mutants::Mutant;
use raddle_schedule::{Choice, Event, Op, OpKind, Trace};

/// One step, or at the end what a thread was about to do. Threads go by what [`Causality::threads`] calls them.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its thread, and its number in that thread, from 1.
    pub thread: u8,
    pub index: u32,
    /// Its place among the events; nothing of a pending one.
    at: u32,
    /// Where in the program.
    site: u32,
    /// Of a yield, a sleep or a time-out: how often its thread has made one there, this one included.
    pub rounds: u8,
    /// Its thread repeats itself there, unless a wait ends by itself.
    pub repeats: bool,
    /// What it does.
    pub op_id: OpId,
    /// Where its other operations end in [`Causality::parts`]; those of the step before end where they begin.
    parts: u32,
    /// It belongs to a wait with a time limit: its thread has a step at any time.
    pub timed: bool,
    /// Value of the event ([`Event::value`]).
    pub value: u64,
    /// What a compare-exchange expected.
    pub expected: Option<u64>,
    /// The value that an atomic store overwrote, if the trace tells it.
    pub overwrote: Option<u64>,
    /// Of what it comes after on its object.
    covers: Covers,
    /// It stored what was there, or gave back a lock under which nothing was changed, so that nobody who spins takes notice.
    pub same: bool,
    /// It goes round a spin loop once more: which of [`Causality::spins`] it is.
    pub spin: Option<u32>,
    /// Threads that could have been chosen, its own included; of a pending one all or nothing.
    pub alternatives: u64,
    /// Those of them that were not out of time.
    pub enabled: u64,
    /// Thread of the step before, and whether that step gave way.
    pub previous: u8,
    pub gave_way: bool,
    /// The default behaviour chooses its thread.
    pub is_default: bool,
    /// One more choice at it, and the alternatives; the default chooses the lowest.
    pub choice: Option<Choice>,
    pub choices: u64,
    /// The default behaviour chooses that, or there was nothing to be chosen.
    pub is_default_choice: bool,
    /// Hash of the steps before.
    pub hash: u64,
    /// Preemptions of the steps before.
    pub preemptions: u32,
    /// Of the wake out of a wait: the step that let it be, a notify or a time-out.
    pub woken: Option<u32>,
}

/// Does everything that was done to an object before a step come before it, so that whoever comes
/// after the step comes after that too?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Covers {
    /// Not all.
    Nothing,
    /// If it was about the same bytes.
    SameBytes,
    /// Of a mutex.
    Object,
    /// No step does.
    Never,
}

impl Covers {
    fn of(op: &Op) -> Covers {
        match op.kind {
            // What was done to its mutex is not all about these bytes.
            OpKind::AtomicStore if op.other != 0 => Covers::Nothing,
            // What commutes with it does not come before it.
            OpKind::AtomicRmw if op.counts() => Covers::Nothing,
            OpKind::AtomicStore | OpKind::Write => Covers::SameBytes,
            OpKind::AtomicRmw if !op.failed => Covers::SameBytes,
            OpKind::Lock => Covers::Object,
            OpKind::TryLock if !op.failed => Covers::Object,
            OpKind::WriteLock => Covers::Object,
            _ => Covers::Nothing,
        }
    }
}

/// One more operation of a step.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The operation.
    pub op: Op,
    /// Value of the event.
    pub value: u64,
    /// It stored what was there.
    same: bool,
}

/// Two steps that can be reversed, by number; the second may be a pending one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    pub first: u32,
    pub second: u32,
}

/// What was done to an object so far.
#[derive(Default)]
struct Past {
    /// By which steps, in order.
    steps: Vec<u32>,
    /// Of memory: all of them are about these bytes exactly, address and size; `None` where they differ.
    bytes: Option<(u64, u32)>,
}

/// That a step became part of an object's past, and what was there before.
struct Entered {
    step: u32,
    key: usize,
    /// An earlier step that it stands for too, and that one's place.
    instead: Option<(usize, u32)>,
    bytes: Option<(u64, u32)>,
}

/// Objects of which the past is kept from one execution to the next; beyond, all begin anew.
const MANY: usize = 4096;

/// One execution, read.
pub struct Causality {
    /// The identities of its threads.
    pub threads: Threads,
    /// Its steps, then what its unfinished threads were about to do.
    pub steps: Vec<Step>,
    /// Number of steps that were made.
    pub made: usize,
    /// The execution was ended in its last step.
    pub ends: bool,
    /// Main has returned in it, and not left otherwise.
    pub main_returned: bool,
    /// Its preemptions.
    pub preemptions: u32,
    /// The operations of steps behind their first ones, in order.
    parts: Vec<Part>,
    /// What those who go round a spin loop wait for: a change of one of these, by the kind of the read.
    spins: Vec<Vec<(OpKind, u64)>>,
    /// Pairs that can be reversed, by their second step, the later first step before.
    pub races: Vec<Race>,
    /// So many of them are in order; the others were found in the end.
    ordered: usize,
    /// The events that were read last.
    events: Vec<Event>,
    /// Clock of each step that was made: for each thread the steps that happen before it or are it.
    clocks: Vec<u32>,
    width: usize,
    /// Steps of each thread, by number.
    own: Vec<Vec<u32>>,
    objects: Table,
    pasts: Vec<Past>,
    used: usize,
    entered: Vec<Entered>,
    waking: Waking,
    /// Reused memory.
    clock: Vec<u32>,
    candidates: Vec<u32>,
    later: Vec<u32>,
    /// Changes that let spinning threads go on, before which these could not.
    stuck: Vec<Race>,
    keys: Vec<usize>,
    mutant: Option<Mutant>,
}

impl Default for Causality {
    fn default() -> Self {
        Causality::new(None)
    }
}

impl Causality {
    /// Reads nothing yet; threads go by their numbers.
    pub fn new(mutant: Option<Mutant>) -> Self {
        Causality::of(Threads::by_number(), mutant)
    }

    /// Reads nothing yet; threads go by names that are the same in all executions with the same first `floor` steps.
    pub fn by_identity(floor: u32, mutant: Option<Mutant>) -> Self {
        match mutant {
            Some(Mutant::ThreadsByNumber) => Causality::new(mutant),
            _ => Causality::of(Threads::by_identity(floor), mutant),
        }
    }

    fn of(threads: Threads, mutant: Option<Mutant>) -> Self {
        Causality {
            threads,
            steps: Vec::new(),
            made: 0,
            ends: false,
            main_returned: false,
            preemptions: 0,
            parts: Vec::new(),
            spins: Vec::new(),
            races: Vec::new(),
            ordered: 0,
            events: Vec::new(),
            clocks: Vec::new(),
            width: 0,
            own: Vec::new(),
            objects: Table::default(),
            pasts: Vec::new(),
            used: 0,
            entered: Vec::new(),
            waking: Waking::default(),
            clock: Vec::new(),
            candidates: Vec::new(),
            later: Vec::new(),
            stuck: Vec::new(),
            keys: Vec::new(),
            mutant,
        }
    }

    /// Reads an execution.
    pub fn read(&mut self, trace: &Trace, op_table: &mut OpTable) {
        let kept = self.take_back(trace);
        self.read_steps(trace, kept, op_table);
        for number in kept..self.steps.len() {
            self.order(number, op_table);
        }
        self.ordered = self.races.len();
        self.let_go_otherwise(op_table);
    }

    /// Keeps what the execution that was read last has in common with this one: so many steps.
    fn take_back(&mut self, trace: &Trace) -> usize {
        let mut kept = self.in_common(trace);
        let widest = trace.events.iter().map(|e| usize::from(e.thread() & 63) + 1).max().unwrap_or(1);
        let widest = widest.max(self.threads.count());
        // Places of clocks, and numbers of objects, are for all steps the same.
        if widest > self.width || self.used > MANY {
            kept = 0;
            self.width = widest.max(self.width);
            self.own.resize_with(self.width, Vec::new);
        }
        self.races.truncate(self.ordered);
        let is_new = |second: u32| second as usize >= kept;
        while self.races.pop_if(|race| is_new(race.second)).is_some() {}
        while self.stuck.pop_if(|race| is_new(race.second)).is_some() {}
        while let Some(entered) = self.entered.pop_if(|entered| is_new(entered.step)) {
            let past = &mut self.pasts[entered.key];
            past.steps.pop();
            past.bytes = entered.bytes;
            if let Some((place, step)) = entered.instead {
                past.steps.insert(place, step);
            }
        }
        for own in &mut self.own {
            while own.pop_if(|step| is_new(*step)).is_some() {}
        }
        self.clocks.truncate(kept * self.width);
        self.waking.take_back(kept);
        if kept == 0 {
            self.objects.clear();
            self.used = 0;
        }
        kept
    }

    /// Does this step happen before that one, or is it that one?
    #[inline]
    pub fn before(&self, first: usize, second: usize) -> bool {
        let first = &self.steps[first];
        self.clocks[second * self.width + usize::from(first.thread)] >= first.index
    }

    /// The clock of a step that was made: for each thread, how many of its steps happen before it or are it.
    pub fn clock(&self, number: usize) -> &[u32] {
        &self.clocks[number * self.width..(number + 1) * self.width]
    }

    /// The operations of a step behind its first one, in order.
    pub fn parts(&self, number: usize) -> &[Part] {
        let from = number.checked_sub(1).map_or(0, |before| self.steps[before].parts);
        &self.parts[from as usize..self.steps[number].parts as usize]
    }

    /// The thread's first step from this place on, what it was about to do at the end included.
    pub fn next(&self, thread: u8, from: usize) -> Option<usize> {
        let own = self.own.get(usize::from(thread))?;
        own.get(own.partition_point(|s| (*s as usize) < from)).map(|s| *s as usize)
    }

    /// Does this step happen before the other's thread came to the other?
    pub fn leads_to(&self, first: usize, second: usize) -> bool {
        let thread = self.steps[second].thread;
        let own = &self.own[usize::from(thread)];
        let place = own.partition_point(|s| (*s as usize) < second);
        let last = match place.checked_sub(1) {
            Some(last) => Some(own[last] as usize),
            None => self.waking.spawned_by(thread),
        };
        last.is_some_and(|last| self.before(first, last))
    }

    /// Finds a step's clock and what it races with.
    fn order(&mut self, number: usize, op_table: &mut OpTable) {
        let mut op = *op_table.op(self.steps[number].op_id);
        if op.kind == OpKind::CondWake {
            let woken = self.waking.woken_by(self.steps[number].thread);
            self.steps[number].woken = woken.map(|n| n as u32);
            if woken.is_none() && self.steps[number].timed {
                // It waits still, and was about to time out.
                op = op.time_out();
                self.steps[number].op_id = op_table.like(self.steps[number].op_id, &op, false);
            }
        }
        if op_table.visits() {
            self.count_rounds(number, op.kind);
        }
        let mut step = self.steps[number];
        if number + 1 == self.made && self.ends {
            // That the execution ended in it concerns what would have come after it, not what came
            // before: made earlier, it would end it or not.
            step.op_id = op_table.like(step.op_id, &op, false);
        }
        let op_table = &*op_table;
        self.start_clock(number, &step, &op);
        self.find_keys(&op);
        let parts = op_table.parts(step.op_id);
        if !parts.is_empty() {
            parts.iter().for_each(|part| self.find_more_keys(part));
            self.keys.sort_unstable();
            self.keys.dedup();
        }
        if let Some(spin) = step.spin {
            for i in 1..self.spins[spin as usize].len() {
                let (kind, object) = self.spins[spin as usize][i];
                self.find_more_keys(&Op { kind, object, other: 0, size: 8, failed: false });
            }
        }
        self.later.clear();
        if number >= self.made && self.ends && self.made > 0 {
            self.after_the_end(number, &step);
        }
        if let [key] = self.keys[..] {
            // Behind one that comes before this step, and after everything earlier on the object,
            // nothing is left to be met.
            let covered = match self.pasts[key].bytes {
                _ if step.spin.is_some() || self.mutant.is_some() || !parts.is_empty() => Covers::Never,
                Some(bytes) if bytes == (op.object, op.size) => Covers::SameBytes,
                _ => Covers::Object,
            };
            let mut at = self.pasts[key].steps.len();
            while at > 0 {
                at -= 1;
                let candidate = self.pasts[key].steps[at] as usize;
                if !self.is_known(candidate) {
                    self.meet(candidate, number, &step, &op, op_table);
                }
                if self.steps[candidate].covers >= covered && self.is_known(candidate) {
                    break;
                }
            }
        } else if !self.keys.is_empty() {
            self.candidates.clear();
            for key in &self.keys {
                self.candidates.extend_from_slice(&self.pasts[*key].steps);
            }
            self.candidates.sort_unstable();
            self.candidates.dedup();
            while let Some(candidate) = self.candidates.pop() {
                self.meet(candidate as usize, number, &step, &op, op_table);
            }
        }
        for i in 0..self.later.len() {
            self.join(self.later[i] as usize);
        }
        self.own[usize::from(step.thread)].push(number as u32);
        if number < self.made {
            self.enter(number, &step, &op, op_table);
        }
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Step>()
            + self.events.capacity() * size_of::<Event>()
            + self.entered.capacity() * size_of::<Entered>()
            + self.clocks.capacity() * 4
            + self.races.capacity() * size_of::<Race>()
    }
}
