//! Going along the stored execution and the one that the program makes with the differences so far.

use super::execution_digest::{ExecutionDigest, Item, likeness};
use super::matching::courses;
use super::threads::Threads;
use crate::points::{Point, points};
use raddle_schedule::{Choice, Delta, OpKind, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// What became of a stored step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The program did not get there.
    Open,
    /// It was found again as the step with this number, in its place in the order.
    Found(u32),
    /// The program makes it as this step, but another of the stored steps changed places with it.
    Displaced(u32),
    /// The program does not do this any more.
    Gone,
}

/// Where the program could not be led where the stored execution went: the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The stored step that could not be made, as an index of [`ExecutionDigest::steps`].
    pub stored: usize,
    /// The step at which the program is then; past the last where it has ended.
    pub at: u32,
    /// The thread that would have had to make it, as it is numbered now.
    pub thread: u8,
}

/// See the module.
pub struct Walk<'a> {
    stored: &'a ExecutionDigest,
    /// The courses of its threads.
    courses: BTreeMap<u8, Vec<Item>>,
    fates: Vec<Fate>,
    /// The first of them that may be open.
    first: usize,
    /// Differences so far.
    deltas: Vec<Delta>,
    /// Steps of the program that were gone along.
    at: usize,
    /// Of these, those that no stored step is.
    new: u32,
    departure: Option<Departure>,
    /// Stored steps that could not be made where they were to be.
    late: BTreeSet<usize>,
    /// It took too long.
    given_up: bool,
    /// Choices that the stored execution made and that cannot be made now, by stored step.
    refused: BTreeSet<usize>,
}

/// An execution of the program, matched with the stored one.
struct Sight<'a> {
    now: &'a ExecutionDigest,
    threads: Threads,
    /// Who could have made each step, and who could have stopped waiting there.
    could: Vec<(u64, u64)>,
    /// By step: the stored step that it is.
    is: Vec<Option<Stored>>,
    /// By stored step: is it certain that the program does not do this any more?
    gone: BTreeSet<usize>,
    /// The last step of each thread that is a stored one.
    last: BTreeMap<u8, usize>,
}

/// A stored step, or what was about to be done when the stored execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stored {
    Step(usize),
    Pending,
}

impl Sight<'_> {
    /// Is it the end of a wait by time-out?
    fn times_out(&self, at: usize) -> bool {
        self.now.operations[self.now.steps[at].does].kind == OpKind::Timeout
    }

    /// Can a thread go on here, with a step that is a stored one?
    fn next_is_stored(&self, at: usize, thread: u8) -> bool {
        let next = self.now.steps[at..].iter().position(|s| s.thread == thread);
        self.may(at, thread, false) && next.is_some_and(|n| matches!(self.is[at + n], Some(Stored::Step(_))))
    }

    /// Could a thread make this step, or stop waiting there?
    fn may(&self, at: usize, thread: u8, times_out: bool) -> bool {
        let masks = self.could.get(at).copied().unwrap_or_default();
        let mask = if times_out { masks.1 & !masks.0 } else { masks.0 };
        mask >> (thread & 63) & 1 != 0
    }
}

impl<'a> Walk<'a> {
    /// Along this stored execution.
    pub fn new(stored: &'a ExecutionDigest) -> Walk<'a> {
        let threads: BTreeSet<u8> =
            stored.steps.iter().map(|s| s.thread).chain(stored.pending.iter().map(|p| p.0)).collect();
        Walk {
            stored,
            courses: threads.into_iter().map(|t| (t, stored.course(t))).collect(),
            fates: vec![Fate::Open; stored.steps.len()],
            first: 0,
            deltas: Vec::new(),
            at: 0,
            new: 0,
            departure: None,
            late: BTreeSet::new(),
            given_up: false,
            refused: BTreeSet::new(),
        }
    }

    /// The differences that are known so far.
    pub fn deltas(&self) -> &[Delta] {
        &self.deltas
    }

    /// What became of each stored step.
    pub fn fates(&self) -> &[Fate] {
        &self.fates
    }

    /// Where it first departs from the stored execution.
    pub fn departure(&self) -> Option<Departure> {
        self.departure
    }

    /// Steps of the program that the stored execution does not have, as far as that goes.
    pub fn new_steps(&self) -> u32 {
        self.new
    }

    /// Whoever runs the program does not go on with it.
    pub fn give_up(&mut self) {
        self.given_up = true;
    }

    /// Was it given up before its end?
    pub fn is_given_up(&self) -> bool {
        self.given_up
    }

    /// Was what was chosen at this stored step chosen again?
    pub fn chose(&self, stored: usize) -> bool {
        !self.refused.contains(&stored)
    }

    /// Every step was found in its place, and there was no other.
    pub fn is_exact(&self) -> bool {
        let found = |f: &Fate| matches!(f, Fate::Found(_));
        self.new == 0 && !self.given_up && self.refused.is_empty() && self.fates.iter().all(found)
    }

    /// Goes along the execution that the program makes with [`Walk::deltas`], told and as its trace. True:
    /// a difference was added, so that the program is to be run again; false at the end.
    pub fn go(&mut self, now: &ExecutionDigest, trace: &Trace) -> bool {
        let sight = self.look(now, trace);
        while let Some(i) = self.next(&sight) {
            let Some(step) = now.steps.get(self.at) else {
                self.depart(i, now.steps.len() as u32, &sight);
                return false;
            };
            let wanted = sight.threads.now(self.stored.steps[i].thread);
            if self.times_out(i) && sight.is[self.at] != Some(Stored::Step(i)) {
                // It happens where it is chosen, and never by itself where others can go on.
                if let Some(thread) = wanted.filter(|t| sight.may(self.at, *t, true)) {
                    self.deltas.push(Delta { step: step.number, choice: Choice::Thread(thread) });
                    return true;
                }
                // The thread is past the wait.
                if wanted.is_some_and(|t| sight.next_is_stored(self.at, t)) {
                    self.fates[i] = Fate::Gone;
                    continue;
                }
            }
            let elsewhere = wanted.filter(|t| *t != step.thread);
            match sight.is[self.at] {
                // It waits for what it did not get, or gets what it waited for in vain.
                Some(Stored::Step(m)) if m == i && self.times_out(i) != sight.times_out(self.at) => {
                    self.fates[i] = Fate::Gone;
                    self.depart(i, step.number, &sight);
                    self.new += 1;
                }
                Some(Stored::Step(m)) if m == i => {
                    if self.choose(i, self.at, &sight) {
                        return true;
                    }
                    let found = if self.late.contains(&i) { Fate::Displaced } else { Fate::Found };
                    self.fates[i] = found(step.number);
                }
                // New here: before what comes next of the stored ones, if anything does.
                None if elsewhere.is_none() || sight.last.get(&step.thread) > Some(&self.at) => self.new += 1,
                is => match elsewhere.filter(|t| sight.may(self.at, *t, false)) {
                    Some(thread) => {
                        self.deltas.push(Delta { step: step.number, choice: Choice::Thread(thread) });
                        return true;
                    }
                    None => self.pass(is, i, step.number, &sight),
                },
            }
            self.at += 1;
        }
        self.finish(&sight)
    }

    /// All that was stored is done: the thread that made the last step goes on to where the stored execution ended.
    fn finish(&mut self, sight: &Sight) -> bool {
        let Some(last) = self.stored.steps.last().and_then(|s| sight.threads.now(s.thread)) else {
            return false;
        };
        let next = |at: usize| sight.now.steps[at..].iter().position(|s| s.thread == last).map(|n| at + n);
        while let Some(step) = sight.now.steps.get(self.at) {
            let reached = next(self.at).is_some_and(|n| sight.is[n] == Some(Stored::Pending));
            let may = sight.may(self.at, last, false);
            if reached || step.thread != last && !may {
                return false;
            }
            if step.thread != last {
                self.deltas.push(Delta { step: step.number, choice: Choice::Thread(last) });
                return true;
            }
            self.new += 1;
            self.at += 1;
        }
        false
    }

    /// The next stored step that may still be made.
    fn next(&mut self, sight: &Sight) -> Option<usize> {
        for i in self.first..self.fates.len() {
            self.first = i;
            if self.fates[i] == Fate::Open {
                let absent = sight.threads.now(self.stored.steps[i].thread).is_none();
                if !absent && !sight.gone.contains(&i) {
                    return Some(i);
                }
                self.fates[i] = Fate::Gone;
            }
        }
        None
    }

    /// Is a stored step the end of a wait by time-out?
    fn times_out(&self, stored: usize) -> bool {
        self.stored.operations[self.stored.steps[stored].does].kind == OpKind::Timeout
    }

    /// The step is made although another would have to be first, which cannot be made here.
    fn pass(&mut self, is: Option<Stored>, wanted: usize, number: u32, sight: &Sight) {
        match is {
            Some(Stored::Step(m)) => {
                self.fates[m] = Fate::Displaced(number);
                self.depart(wanted, number, sight);
            }
            Some(Stored::Pending) => self.depart(wanted, number, sight),
            None => self.new += 1,
        }
    }

    fn depart(&mut self, stored: usize, at: u32, sight: &Sight) {
        let thread = sight.threads.now(self.stored.steps[stored].thread).unwrap_or_default();
        self.late.insert(stored);
        self.departure.get_or_insert(Departure { stored, at, thread });
    }

    /// Adds what was chosen at a stored step, where the program chooses otherwise now.
    fn choose(&mut self, stored: usize, at: usize, sight: &Sight) -> bool {
        let step = &sight.now.steps[at];
        let wanted = self.stored.steps[stored].choices.iter().map(|c| match c {
            Choice::Waiter(t) => sight.threads.now(*t).map(Choice::Waiter),
            other => Some(*other),
        });
        let wanted: Option<Vec<Choice>> = wanted.collect();
        let Some(wanted) = wanted else {
            self.refused.insert(stored);
            return false;
        };
        if wanted == step.choices || self.refused.contains(&stored) {
            return false;
        }
        let asked = |d: &&Delta| d.step == step.number && !matches!(d.choice, Choice::Thread(_));
        if self.deltas.iter().any(|d| asked(&d)) || wanted.len() != step.choices.len() {
            self.refused.insert(stored);
            return false;
        }
        self.deltas.extend(wanted.into_iter().map(|choice| Delta { step: step.number, choice }));
        true
    }

    /// The last difference could not be followed: it is taken back, and what it was for is passed by.
    pub fn take_back(&mut self) {
        let Some(last) = self.deltas.last().map(|d| d.step) else { return };
        let thread = self.deltas.last().is_some_and(|d| matches!(d.choice, Choice::Thread(_)));
        self.deltas.retain(|d| d.step < last || (!thread && matches!(d.choice, Choice::Thread(_))));
        let next = self.fates.iter().position(|f| *f == Fate::Open);
        self.refused.extend(next);
        if thread && let Some(next) = next {
            self.fates[next] = Fate::Gone;
        }
    }

    /// Matches what is left of both executions.
    fn look<'b>(&self, now: &'b ExecutionDigest, trace: &Trace) -> Sight<'b> {
        let threads = Threads::new(self.stored, now);
        let could = points(trace).filter_map(|point| match point {
            Point::Thread(p) => Some((p.event.enabled, p.timeouts)),
            Point::Choice(_) => None,
        });
        let mut sight = Sight {
            now,
            threads,
            could: could.collect(),
            is: vec![None; now.steps.len()],
            gone: BTreeSet::new(),
            last: BTreeMap::new(),
        };
        let mut likenesses = BTreeMap::new();
        for (thread, course) in &self.courses {
            let Some(number) = sight.threads.now(*thread) else { continue };
            self.match_thread(course, number, &mut sight, &mut likenesses);
        }
        sight
    }

    fn match_thread(
        &self,
        course: &[Item],
        number: u8,
        sight: &mut Sight,
        likenesses: &mut BTreeMap<(usize, usize), (bool, u32)>,
    ) {
        let open = |item: &&Item| item.at.is_none_or(|at| self.fates[at] == Fate::Open);
        let stored: Vec<Item> = course.iter().filter(open).copied().collect();
        let ahead = |item: &Item| item.at.is_none_or(|at| at >= self.at);
        let now: Vec<Item> = sight.now.course(number).into_iter().filter(ahead).collect();
        let (ours, theirs) = (&self.stored.operations, &sight.now.operations);
        let known = std::cell::RefCell::new(likenesses);
        let compare = |a: usize, b: usize| {
            let compared = || (ours[a] == theirs[b], likeness(&ours[a], &theirs[b]));
            *known.borrow_mut().entry((a, b)).or_insert_with(compared)
        };
        let found = courses(&stored, &now, |a, b| compare(a, b).0, |a, b| compare(a, b).1);
        let last = found.iter().rposition(Option::is_some);
        let ends = |item: &Item| item.at.is_some() && theirs[item.does].kind == OpKind::Exit;
        let over = now.iter().any(ends) || now.is_empty() && self.has_ended(number, sight.now);
        for (index, (item, at)) in stored.iter().zip(&found).enumerate() {
            match (item.at, at) {
                (stored, Some(at)) => {
                    let Some(step) = now[*at].at else { continue };
                    sight.is[step] = Some(stored.map_or(Stored::Pending, Stored::Step));
                    let last = sight.last.entry(number).or_insert(step);
                    *last = step.max(*last);
                }
                (Some(stored), None) if !self.times_out(stored) && (over || last > Some(index)) => {
                    sight.gone.insert(stored);
                }
                _ => {}
            }
        }
        // It is about to do a stored step: what is new comes before that.
        let pending = now.iter().position(|item| item.at.is_none());
        if pending.is_some_and(|p| found.contains(&Some(p))) {
            sight.last.insert(number, usize::MAX);
        }
    }

    /// Had the thread ended by here?
    fn has_ended(&self, number: u8, now: &ExecutionDigest) -> bool {
        let made = now.steps[..self.at.min(now.steps.len())].iter().rev().find(|s| s.thread == number);
        made.is_some_and(|s| now.operations[s.does].kind == OpKind::Exit)
    }
}
