//! Reversals of races that a reduction need not explore, since everything behind them is unfair.
//!
//! A loop of tries has one class more for each round that it goes in vain. Reversing the race between what lets it
//! go on and its last try makes another one, for ever. But soon every interleaving of what has been done is
//! unfair: other threads have too few steps left that could come between the rounds.
//!
//! A reversal is *hopeless* if its second step, put before the first, can be made fairly in no execution. This
//! is decided by a search over cuts as in [`super::class`]. In each execution that contains the reversal, the steps before
//! it and those that lead to the second step are made as they were. What else another thread does there
//! begins with what it did next, as long as nothing that this depends on is missing. The search follows that
//! too, but for steps whose order with the second step is the race, or is like it: those come behind it.
//! Where a thread could do anything else, there is hope. (Not where the first step ended the execution: all else that
//! could be done in its place is reversed with it, too, and what is to come before the second step is explored from there.)
//!
//! At the end of a process a thread makes one round more only if that is known to be fair. Beside several threads that repeat themselves none makes any, where the other step is the
//! end or one of another round ([`Hopeless::is_one_of_many`]). That may lose something, and the guarantee says that rounds were not run.
//!
//! # Why nothing is lost
//!
//! Let w be a fair execution that is not explored, and E the longest beginning of a path of the tree that it is
//! equivalent to an extension of. Something p is explored behind E that w does not begin with, and w has a
//! first step e that depends on p, behind steps w' that do not. As p could be made in all of w',
//! a thread that comes back to a place within w' waits for p's thread, so there is no such step in w' and none
//! is e. Hence E p w' e is fair if p is fair somewhere in it, can be gone on with fairly, and is explored by induction.
//! In it the race of p and e is seen, and reversing it is not hopeless, since w is fair. The case left is that p is unfair
//! behind E w': the default behaviour has taken it. Then it gave way to a thread that was not taken, whose
//! step is reversed with it. So a reversal is left out only if it is its second step that makes it hopeless. (The
//! argument leaves locks for reading aside, by which a thread that was given way to may be blocked
//! meanwhile; `engine/tests/all/fair_searches.rs` has them.)

use super::enabled::{Cut, Enabled};
use super::{Fairness, Taken};
use crate::points::bits;
use crate::reduction::{Causality, OpTable};
use raddle_schedule::ending::ROUNDS;
use raddle_schedule::{Op, OpKind, Outcome, Trace, hash};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// Steps of an execution beyond which nothing is left out.
const LONGEST: usize = 2_000;

/// Cuts that are looked at for one reversal, at most.
const MOST: usize = 4_000;

/// Answers for the races of one execution.
pub struct Hopeless<'a> {
    causality: &'a Causality,
    op_table: &'a OpTable,
    enabled: Enabled<'a>,
    taken: Vec<Taken>,
    /// The steps that visit a place which their thread has visited before.
    again: Vec<bool>,
    /// The execution is too long for a search over its cuts.
    too_long: bool,
    known: RefCell<Known>,
}

/// Answers that were given, by two steps and whether the one that is asked about does what it did.
#[derive(Default)]
struct Known {
    depends_on: HashMap<(usize, usize, bool), bool>,
    depends: HashMap<(usize, usize, bool), bool>,
}

impl<'a> Hopeless<'a> {
    /// `None` if no thread comes back to a place.
    pub fn of(trace: &Trace, causality: &'a Causality, op_table: &'a OpTable) -> Option<Self> {
        let mut taken = super::taken(trace);
        taken.iter_mut().zip(&causality.steps).for_each(|(taken, step)| taken.thread = step.thread);
        let mut places = HashSet::new();
        let again = |t: &Taken| t.visit.is_some_and(|visit| !places.insert((t.thread, visit.site)));
        let again: Vec<bool> = taken.iter().map(again).collect();
        let too_long = taken.len() > LONGEST;
        let ended_well = causality.ends && trace.outcome == Outcome::Passed;
        if too_long && !ended_well || !again.contains(&true) {
            return None;
        }
        let enabled = Enabled::new(causality, op_table);
        let known = RefCell::default();
        Some(Hopeless { causality, op_table, enabled, taken, again, too_long, known })
    }

    /// Is it hopeless to put this thread's next step from `first` on before that step?
    pub fn is(&self, first: usize, second: usize) -> bool {
        let step = &self.causality.steps[second];
        let own = &self.enabled.own[usize::from(step.thread)];
        let ended = self.causality.ends && first + 1 == self.causality.made;
        if self.is_one_of_many(first, second) {
            return true;
        }
        // Beside the end of the process a thread makes one round more only where that is known to be fair.
        let rounds = ended && step.repeats && self.ended_well();
        // Only behind a place that it comes back to is a thread unfair to take.
        let before = (step.index as usize).checked_sub(2).map(|before| own[before]);
        let comes_back = step.spin.is_none() && before.is_some_and(|before| self.again[before]);
        if comes_back && !ended && before.is_some_and(|visit| self.gave_way_to(first, visit)) {
            return true;
        }
        if !rounds && (!comes_back || self.too_long) {
            return false;
        }
        let required: Vec<bool> =
            (0..self.causality.made).map(|k| self.is_required(k, first, second)).collect();
        let mut reversal = Reversal { hopeless: self, second, ended, required };
        if rounds {
            return self.too_long || reversal.is_reached(true) != Some(true);
        }
        reversal.is_reached(true) == Some(false) && reversal.is_reached(false) == Some(true)
    }

    /// Has a thread that comes back to a place with this visit given way to the thread of that step, wherever that step comes
    /// behind the visit?
    ///
    /// It has if the other thread's step before happens before the visit before of this place: then the other thread stands at that step from one
    /// visit to the next. It can always make a step that nothing blocks.
    fn gave_way_to(&self, first: usize, visit: usize) -> bool {
        let Causality { steps, .. } = self.causality;
        let own = |number: usize| &self.enabled.own[usize::from(steps[number].thread)];
        let index = |number: usize| steps[number].index as usize - 1;
        let Some(place) = self.taken[visit].visit.filter(|visit| visit.gives_way) else { return false };
        let mut earlier = own(visit)[..index(visit)].iter().rev();
        let Some(earlier) = earlier.find(|k| self.taken[**k].visit.is_some_and(|v| v.site == place.site))
        else {
            return false;
        };
        let stands_since = index(first).checked_sub(1).map(|before| own(first)[before]);
        self.enabled.is_never_blocked(first)
            && stands_since.is_some_and(|since| self.causality.before(since, *earlier))
    }

    /// Did the process end well, in a step that waited for the other threads?
    fn ended_well(&self) -> bool {
        let last = self.causality.made.checked_sub(1).filter(|_| self.causality.ends);
        last.map(|last| self.enabled.op(last)).is_some_and(|op| op.kind == OpKind::End && op.other == 0)
    }

    /// Has the process ended before the second step, which begins another round, beside several threads that repeat
    /// themselves, its own among them? And is the first step that end, or of another such thread? There would be as many
    /// classes as products of their rounds.
    fn is_one_of_many(&self, first: usize, second: usize) -> bool {
        let Causality { steps, made, .. } = self.causality;
        if second < *made || !steps[second].repeats || !self.ended_well() {
            return false;
        }
        let rounds = |thread: u8, before: usize| {
            let own = self.enabled.own[usize::from(thread)].iter().rev().filter(|own| **own <= before);
            own.map(|own| steps[*own].rounds).find(|rounds| *rounds > 0).unwrap_or(0)
        };
        let goes_round = first + 1 == *made || rounds(steps[first].thread, first) > 0;
        let many = steps[*made..].iter().filter(|step| step.repeats).count() > 1;
        goes_round && many && rounds(steps[second].thread, second) >= ROUNDS
    }

    /// Is a step made before the second one in each execution with the reversal?
    fn is_required(&self, k: usize, first: usize, second: usize) -> bool {
        let leads = || match second < self.causality.made {
            true => self.causality.before(k, second),
            false => self.causality.leads_to(k, second),
        };
        k < first || (k != first && k < second && !self.causality.before(first, k) && leads())
    }

    /// What a step may be where not all has happened that has happened before it.
    fn variants(&self, number: usize) -> Vec<Op> {
        let step = &self.causality.steps[number];
        let op = *self.op_table.op(step.op_id);
        let mut all = vec![op];
        use OpKind::*;
        match op.kind {
            TryLock | TryReadLock | TryWriteLock | SemTryWait | AtomicRmw | FutexWait => {
                all.extend([true, false].map(|failed| Op { failed, ..op }));
            }
            NotifyOne | NotifyAll | FutexWake => all.extend([true, false].map(|failed| Op { failed, ..op })),
            Timeout if op.other != 0 && op.other != op.object => {}
            Timeout if op.other != 0 => all.push(Op { kind: Lock, other: 0, failed: false, ..op }),
            Timeout => {
                let kinds = [SemWait, Park, ReadLock, WriteLock];
                all.extend(kinds.map(|kind| Op { kind, failed: false, ..op }));
            }
            _ if step.timed => all.push(op.time_out()),
            _ => {}
        }
        all
    }

    /// The operations of a step that is made as it was.
    fn as_it_was(&self, number: usize) -> Vec<Op> {
        let op_id = self.causality.steps[number].op_id;
        [&[*self.op_table.op(op_id)], self.op_table.parts(op_id)].concat()
    }

    /// The possible outcomes of a step, each with its operations.
    fn outcomes(&self, number: usize, as_it_was: bool) -> Vec<Vec<Op>> {
        match as_it_was {
            true => vec![self.as_it_was(number)],
            false => self.variants(number).into_iter().map(|op| vec![op]).collect(),
        }
    }

    /// Does this step, made as it was, depend on that one, whatever comes of that one here?
    fn depends_on(&self, required: usize, number: usize, cut: &Cut) -> bool {
        let as_it_was = self.enabled.is_as_it_was(number, cut);
        let ask = || self.depend(&[self.as_it_was(required)], &self.outcomes(number, as_it_was));
        let known = &mut self.known.borrow_mut().depends_on;
        *known.entry((required, number, as_it_was)).or_insert_with(ask)
    }

    /// Do these two depend on each other, whatever comes of the first here, and of the second anywhere?
    fn depends(&self, number: usize, second: usize, cut: &Cut) -> bool {
        let as_it_was = self.enabled.is_as_it_was(number, cut);
        let ask = || self.depend(&self.outcomes(number, as_it_was), &self.outcomes(second, false));
        let known = &mut self.known.borrow_mut().depends;
        *known.entry((number, second, as_it_was)).or_insert_with(ask)
    }

    /// Do all of these depend on all of those?
    fn depend(&self, these: &[Vec<Op>], those: &[Vec<Op>]) -> bool {
        let meets =
            |a: &[Op], b: &[Op]| a.iter().any(|a| b.iter().any(|b| self.op_table.dependent_ops(a, b)));
        these.iter().all(|a| those.iter().all(|b| meets(a, b)))
    }
}

struct Reversal<'a> {
    hopeless: &'a Hopeless<'a>,
    second: usize,
    /// The first step ended the execution.
    ended: bool,
    required: Vec<bool>,
}

impl Reversal<'_> {
    /// Can the second step be made fairly, before the first; or all that comes before it? `None` if that takes too long to tell.
    fn is_reached(&mut self, with: bool) -> Option<bool> {
        let Hopeless { causality, enabled, taken, .. } = self.hopeless;
        let start: Box<Cut> = vec![0; enabled.own.len()].into();
        let mut waiting = vec![(start, Fairness::new())];
        let mut known = HashSet::new();
        while let Some((cut, fairness)) = waiting.pop() {
            let key = cut.iter().fold(fairness.state(), |key, made| hash::mix(key, u64::from(*made)));
            if !known.insert(key) {
                continue;
            }
            if known.len() > MOST {
                return None;
            }
            if !with && self.left(&cut).next().is_none() {
                return Some(true);
            }
            let (can, timeouts) = enabled.masks(&cut);
            let alternatives = can | timeouts;
            let fair = alternatives & !fairness.behind(alternatives);
            if (0..enabled.own.len()).any(|thread| enabled.is_unclear(thread, &cut)) {
                return Some(true);
            }
            for thread in bits(fair).map(usize::from) {
                // Main that has returned ends the process, and nothing can come after that.
                let Some(number) = enabled.own[thread].get(cut[thread] as usize).copied() else { continue };
                if with && number == self.second {
                    if !self.left(&cut).any(|k| self.hopeless.depends_on(k, number, &cut)) {
                        return Some(true);
                    }
                    continue;
                }
                let is_required = self.required.get(number).is_some_and(|required| *required);
                if with && !is_required && self.hopeless.depends(number, self.second, &cut) {
                    continue;
                }
                match enabled.next(thread, &cut) {
                    Some(step) if is_required || !(causality.ends && step + 1 == causality.made) => {
                        let mut cut = cut.clone();
                        cut[thread] += 1;
                        let (can, timeouts) = enabled.masks(&cut);
                        let mut fairness = fairness.clone();
                        fairness.step(&taken[step], alternatives, can | timeouts);
                        waiting.push((cut, fairness));
                    }
                    Some(_) => {}
                    None if is_required => {}
                    None if self.ended && number >= causality.made => {}
                    // It does something else.
                    None if self.left(&cut).any(|k| self.hopeless.depends_on(k, number, &cut)) => {}
                    None => return Some(true),
                }
            }
        }
        Some(false)
    }

    /// What has to be made still before the second step.
    fn left<'b>(&'b self, cut: &'b Cut) -> impl Iterator<Item = usize> + 'b {
        let steps = &self.hopeless.causality.steps;
        let all = self.required.iter().enumerate().filter(|(_, required)| **required).map(|(k, _)| k);
        all.filter(|k| steps[*k].index > cut[usize::from(steps[*k].thread)])
    }
}
