//! An execution read beside the failing one: which of its steps are the same, and what orders it has given up
//! before each ([`Orders`]).
//!
//! A thread does the same as long as its operations are the same. Only that it goes round a loop more often, looking for
//! what is not there yet, is no difference: its last round is the failing execution's. Neither is a compare-exchange that fails and is
//! made again at once, as in taking a read-write lock: the one that succeeds is the failing execution's.

use super::orders::{Decision, FORBIDDEN, Orders};
use crate::points::{Point, points};
use raddle_schedule::{Choice, Event, MAX_THREADS, Op, OpKind, Trace, flags};

/// An execution, compared with the failing one.
#[derive(Default)]
pub(super) struct Reading {
    /// For each of its steps the failing execution's one that it is.
    pub same: Vec<Option<u32>>,
    /// For each step of the failing execution when it was made.
    pub made: Vec<u32>,
    /// What the steps before each step cost, and all of them.
    pub before: Vec<u32>,
    /// What each thread did and was about to do.
    doings: Vec<Vec<Doing>>,
    /// The waits that timed out in the failing execution, by these steps, and in this one end before.
    pub in_time: Vec<u32>,
    /// What has to come to the same ([`Orders::same`]) does.
    comes_to_the_same: bool,
}

/// Something that a thread did, or was about to do.
#[derive(Clone, Copy)]
struct Doing {
    /// When; `u32::MAX` if it was not done.
    step: u32,
    kind: OpKind,
    object: u64,
    /// Where it stands in the program.
    site: u32,
    /// Done in vain it leaves everything as it is.
    looks: bool,
    /// It is a compare-exchange, which elsewhere may fail where it does not here, or the other way round.
    compares: bool,
    /// It has changed nothing.
    failed: bool,
    /// How far the thread had come of what it does in the failing execution.
    at: usize,
    /// It is the failing execution's next step of this thread.
    same: bool,
    /// It is a fruitless round of a loop, to be gone round again.
    in_vain: bool,
    /// It ends the wait that is the thread's next step in the failing execution, where that times out.
    in_time: bool,
}

impl Doing {
    fn is(&self, op: (OpKind, u64)) -> bool {
        (self.kind, self.object) == op
    }

    /// Is the other one the same, made once more?
    fn is_again(&self, other: &Doing) -> bool {
        (self.kind, self.object, self.site) == (other.kind, other.object, other.site)
    }
}

/// What leaves everything as it is if it is done in vain.
fn only_looks(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::AtomicLoad
            | OpKind::TryLock
            | OpKind::TryReadLock
            | OpKind::TryWriteLock
            | OpKind::SemTryWait
            | OpKind::ChannelRecv
    )
}

/// The end of a wait that may have a time limit, before that is over.
fn ends_a_wait(kind: OpKind) -> bool {
    use OpKind::{ChannelRecv, CondWake, FutexWait, Join, Lock, Park, ReadLock, SemWait, WriteLock};
    matches!(kind, CondWake | SemWait | Park | FutexWait | Lock | ReadLock | WriteLock | Join | ChannelRecv)
}

impl Reading {
    pub fn read(&mut self, orders: &Orders, trace: &Trace) {
        self.collect(trace);
        for thread in 0..self.doings.len() {
            self.compare(orders, thread);
        }
        self.made.clear();
        self.made.resize(orders.steps.len(), u32::MAX);
        self.same.clear();
        self.before.clear();
        self.in_time.clear();
        self.comes_to_the_same = true;
        let mut next = [0; MAX_THREADS];
        let mut cost = 0u32;
        for point in points(trace) {
            match point {
                Point::Thread(p) => {
                    self.before.push(cost);
                    let thread = usize::from(p.event.thread()) % MAX_THREADS;
                    let doing = self.doings[thread][next[thread]];
                    next[thread] += 1;
                    cost = cost.saturating_add(self.costs(orders, thread, &doing, p.step));
                    let next = orders.of[thread].get(doing.at).copied();
                    self.in_time.extend(next.filter(|_| doing.in_time));
                    let same = next.filter(|_| doing.same);
                    if let Some(step) = same {
                        self.made[step as usize] = p.step;
                        let other = orders.steps[step as usize].value != p.event.value;
                        if other && orders.same.contains(&step) {
                            self.comes_to_the_same = false;
                            cost = cost.saturating_add(FORBIDDEN);
                        }
                    }
                    self.same.push(same);
                }
                Point::Choice(p) => {
                    let same = self.same.get(p.step as usize).copied().flatten();
                    let other = same.filter(|s| orders.same.contains(s) && orders.is_other(*s, p.chosen));
                    self.comes_to_the_same &= other.is_none();
                    cost = cost.saturating_add(self.choice_costs(orders, p.step, p.chosen));
                }
            }
        }
        self.before.push(cost);
    }

    /// What every thread did.
    fn collect(&mut self, trace: &Trace) {
        self.doings.iter_mut().for_each(Vec::clear);
        self.doings.resize_with(MAX_THREADS, Vec::new);
        let mut add = |event: &Event, step, op: Op, compares: bool| {
            let (thread, site, Op { kind, object, failed, .. }) = (event.thread(), event.site, op);
            let (at, same, in_vain, in_time) = (0, false, false, false);
            let looks = only_looks(kind);
            let doing =
                Doing { step, kind, object, site, looks, compares, failed, at, same, in_vain, in_time };
            self.doings[usize::from(thread) % MAX_THREADS].push(doing);
        };
        for point in points(trace) {
            if let Point::Thread(p) = point {
                let compares = p.event.kind() == OpKind::AtomicRmw && p.event.flags & flags::COMPARE != 0;
                add(p.event, p.step, p.event.op(), compares);
            }
        }
        for event in &trace.events {
            if let Some(op) = event.pending_op() {
                // Of what was not made it is not known.
                add(event, u32::MAX, op, op.kind == OpKind::AtomicRmw);
            }
        }
        self.look_at_parts(trace);
    }

    /// A step that begins by looking may go on to change something ([`super::footprint`]).
    fn look_at_parts(&mut self, trace: &Trace) {
        let mut made = [0usize; MAX_THREADS];
        for event in &trace.events {
            let thread = usize::from(event.thread()) % MAX_THREADS;
            made[thread] += usize::from(event.is_step());
            if event.is_part() && !only_looks(event.kind()) {
                let own = self.doings[thread].get_mut(made[thread].wrapping_sub(1));
                own.into_iter().for_each(|doing| doing.looks = false);
            }
        }
    }

    /// Finds what a thread does as in the failing execution. Rounds of a loop that it goes more often do not count.
    fn compare(&mut self, orders: &Orders, thread: usize) {
        let (doings, all) = (&mut self.doings[thread], &orders.of[thread]);
        let failing = |at: usize| {
            let op = all.get(at).map(|step| &orders.steps[*step as usize].op);
            op.map(|op| (op.kind, op.object))
        };
        let (mut at, mut goes_along) = (0, true);
        for n in 0..doings.len() {
            let doing = doings[n];
            let same = goes_along && failing(at).is_some_and(|op| doing.is(op));
            let timed_out =
                |step: &u32| orders.times_out(*step) && failing(at).is_some_and(|(_, o)| o == doing.object);
            let in_time = goes_along && ends_a_wait(doing.kind) && all.get(at).is_some_and(timed_out);
            // It comes back to this, perhaps after giving way.
            let after = match doings.get(n + 1) {
                Some(next) if matches!(next.kind, OpKind::Yield | OpKind::Sleep) => doings.get(n + 2),
                next => next,
            };
            let comes_back = after.is_some_and(|a| a.is_again(&doing));
            let goes_on = doings.get(n + 1).is_none_or(|next| failing(at + 1).is_some_and(|op| next.is(op)));
            let in_vain = same && doing.looks && comes_back && !goes_on;
            let gives_way =
                n > 0 && doings[n - 1].in_vain && matches!(doing.kind, OpKind::Yield | OpKind::Sleep);
            let failed_there = |step: &u32| orders.steps[*step as usize].op.failed;
            // Where it fails in the failing execution too, that is one of what the thread does there.
            let again = doings.get(n + 1).filter(|a| a.compares && a.is((doing.kind, doing.object)));
            // Elsewhere in the program it may be what the thread does next there.
            let again_at_once =
                again.is_some_and(|a| a.is_again(&doing) || failing(at + 1).is_none_or(|next| !a.is(next)));
            let tries_again = same
                && doing.compares
                && doing.failed
                && again_at_once
                && !all.get(at).is_some_and(failed_there);
            let in_vain = in_vain || gives_way || tries_again;
            let same = same && !in_vain;
            doings[n] = Doing { at, same, in_vain, in_time, ..doing };
            goes_along &= same || in_vain;
            at += usize::from(same);
        }
    }

    /// What it costs that a thread does this as this step of the execution.
    fn costs(&self, orders: &Orders, thread: usize, doing: &Doing, number: u32) -> u32 {
        let step = orders.of[thread].get(doing.at);
        let otherwise = step.filter(|_| doing.in_time).map_or(0, |s| orders.steps[*s as usize].choice_costs);
        let goes_otherwise = match step {
            Some(step) if doing.same => self.lost(orders, *step, number),
            _ if doing.in_vain || doing.at >= orders.needed[thread] => 0,
            _ => FORBIDDEN,
        };
        otherwise.saturating_add(goes_otherwise)
    }

    /// What the orders cost that a step gives up which is made as this one of the execution.
    pub fn lost(&self, orders: &Orders, step: u32, number: u32) -> u32 {
        let made = |step: u32| self.made[step as usize] < number;
        let lost = orders.steps[step as usize].before.iter().filter(|(then, _)| made(*then));
        let early = orders.required.iter().any(|(first, then)| *then == step && !made(*first));
        lost.map(|(_, cost)| cost).sum::<u32>() + if early { FORBIDDEN } else { 0 }
    }

    /// What it costs to choose so at this step of the execution.
    pub fn choice_costs(&self, orders: &Orders, step: u32, chosen: Choice) -> u32 {
        let same = self.same.get(step as usize).copied().flatten();
        let other = same.filter(|s| orders.is_other(*s, chosen));
        other.map_or(0, |s| orders.steps[s as usize].choice_costs)
    }

    /// What it costs at least that a thread makes its next step as this one of the execution.
    pub fn least(&self, orders: &Orders, thread: usize, number: u32, times_out: bool) -> u32 {
        let doings = &self.doings[thread];
        let n = doings.partition_point(|doing| doing.step < number);
        let Some(doing) = doings.get(n).copied() else { return 0 };
        let step = orders.of[thread].get(doing.at).copied();
        if !times_out && doing.same && step.is_some_and(|s| orders.times_out(s)) {
            // Here it would not.
            return self.costs(orders, thread, &Doing { same: false, in_time: true, ..doing }, number);
        }
        if times_out {
            let same = step.is_some_and(|s| orders.steps[s as usize].op.kind == OpKind::Timeout);
            return self.costs(
                orders,
                thread,
                &Doing { same, in_vain: false, in_time: false, ..doing },
                number,
            );
        }
        // The value that it reads decides whether it comes back to this, and whether it goes on to change something.
        if only_looks(doing.kind) || doing.compares || doing.in_vain {
            0
        } else {
            self.costs(orders, thread, &doing, number)
        }
    }

    /// Is this made otherwise in it?
    pub fn turns(&self, orders: &Orders, trace: &Trace, decision: Decision) -> bool {
        let made = |step: u32| self.made.get(step as usize).copied().filter(|made| *made != u32::MAX);
        match decision {
            Decision::Order { first, then } => {
                matches!((made(first), made(then)), (Some(first), Some(then)) if then < first)
            }
            Decision::Choice { step } if orders.times_out(step) => self.in_time.contains(&step),
            Decision::Choice { step } => points(trace).any(|point| match point {
                Point::Choice(p) => made(step) == Some(p.step) && orders.is_other(step, p.chosen),
                Point::Thread(_) => false,
            }),
        }
    }

    /// Was everything done that is required, and so?
    pub fn is_whole(&self, orders: &Orders) -> bool {
        let made = |step: u32| self.made.get(step as usize).copied().filter(|made| *made != u32::MAX);
        let kept = |(first, then): &(u32, u32)| made(*first) < made(*then);
        self.comes_to_the_same
            && orders.must.iter().all(|step| made(*step).is_some())
            && orders.required.iter().all(kept)
    }

    /// Does every thread do what it does in the failing execution, as far as that goes?
    pub fn goes_along(&self) -> bool {
        let made = self.doings.iter().flatten().filter(|doing| doing.step != u32::MAX);
        made.into_iter().all(|doing| doing.same || doing.in_vain)
    }
}
