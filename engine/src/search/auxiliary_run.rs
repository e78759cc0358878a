//! Auxiliary runs: plans that belong to no node. A probe runs an execution again and compares; the
//! diagnosis of a divergence runs the parent again to find the first differing event
//! (algorithms, rule 10); a predicted deadlock is confirmed by the schedule that should lead to it.
//! If that run ends its process, another one tells how many preemptions it had.

use super::predict::Awaited;
use raddle_schedule::{Choice, Delta, Event, OpKind, Plan, Trace};
use std::collections::VecDeque;

/// A plan to be run beside the search, and what its trace is compared with.
pub struct AuxiliaryRun {
    /// What the trace must begin with.
    expected: Box<Trace>,
    /// What for.
    pub kind: Kind,
    /// Its schedule.
    pub deltas: Vec<Delta>,
    /// See [`Plan::flags`].
    pub flags: u32,
    /// It is cut off after so many steps, if that is sooner than any other.
    most_steps: u32,
}

/// The purposes of auxiliary runs.
pub enum Kind {
    /// The same execution again: everything must be the same.
    Probe,
    /// The execution whose prefix was not repeated, from this step at the latest: the two must
    /// differ before.
    Diagnosis(u32),
    /// An execution in which a reduction met something else than it had seen the same steps do: is it the program that
    /// does not repeat itself, or does the same schedule do the same?
    Repetition,
    /// A deadlock was predicted, which this is to show.
    Confirmation(Awaited),
    /// An execution fails and is unfair; this one of its class is fair ([`crate::fair`]).
    Fair,
    /// An execution that was made without rounds in vain shows something ([`super::rounds`]).
    InFull,
    /// An execution is made once more in which no block of the heap is given out twice.
    Quarantine,
    /// A confirmation with this schedule ended its process, and its events with it. The auxiliary run makes all but
    /// the last switch, and shows whether that one is a preemption.
    Naming(Vec<Delta>),
}

/// Auxiliary runs to be done.
pub struct AuxiliaryRuns {
    queue: VecDeque<AuxiliaryRun>,
    /// Are probes wanted?
    probe: bool,
}

impl AuxiliaryRuns {
    /// None yet.
    pub fn new(probe: bool) -> Self {
        AuxiliaryRuns { queue: VecDeque::new(), probe }
    }

    /// Is there nothing to be done?
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Is there one that may show what the search has met?
    pub fn may_show(&self) -> bool {
        self.queue.iter().any(AuxiliaryRun::may_show)
    }

    /// Takes the next one, with its plan.
    pub fn next(&mut self, plan: &mut Plan) -> Option<AuxiliaryRun> {
        let auxiliary_run = self.queue.pop_front()?;
        auxiliary_run.write(plan);
        Some(auxiliary_run)
    }

    /// After the n-th execution: probes number 1, 1000, and every power of two from there, in plans with these flags.
    pub fn executed(&mut self, n: u64, trace: &Trace, flags: u32) {
        let due = n == 1 || n == 1000 || (n > 1000 && n.is_power_of_two());
        if self.probe && due {
            let deltas = crate::naming::name(trace).deltas;
            self.queue.push_back(AuxiliaryRun {
                expected: Box::new(trace.clone()),
                kind: Kind::Probe,
                deltas,
                flags,
                most_steps: u32::MAX,
            });
        }
    }

    /// Wants a predicted deadlock to be confirmed by this schedule, in a plan with these flags.
    pub fn confirm(&mut self, awaited: Awaited, deltas: Vec<Delta>, flags: u32) {
        let kind = Kind::Confirmation(awaited);
        let (expected, most_steps) = (Box::default(), u32::MAX);
        self.queue.push_back(AuxiliaryRun { expected, kind, deltas, flags, most_steps });
    }

    /// Wants to know how many preemptions this schedule has, whose run ended its process as `lost` tells, in
    /// plans with these flags. False if it makes no switch at all.
    pub fn name(&mut self, deltas: &[Delta], lost: &Trace, flags: u32) -> bool {
        let Some(last) = last_switch(deltas) else { return false };
        let (expected, kind) = (Box::new(lost.clone()), Kind::Naming(deltas.to_vec()));
        let most_steps = deltas[last].step.saturating_add(1);
        let deltas = deltas[..last].to_vec();
        self.queue.push_back(AuxiliaryRun { expected, kind, deltas, flags, most_steps });
        true
    }

    /// Wants this schedule to be run, a fair interleaving of the class of an execution that fails unfairly.
    pub fn show_fairly(&mut self, trace: &Trace, deltas: Vec<Delta>) {
        let (expected, most_steps) = (Box::new(trace.clone()), u32::MAX);
        self.queue.push_back(AuxiliaryRun { expected, kind: Kind::Fair, deltas, flags: 0, most_steps });
    }

    /// Wants this execution once more, as far as it goes, in a plan with these flags.
    pub fn repeat(&mut self, trace: &Trace, flags: u32) {
        let (expected, kind) = (Box::new(trace.clone()), Kind::Repetition);
        let (deltas, most_steps) = (crate::naming::name(trace).deltas, u32::MAX);
        self.queue.push_back(AuxiliaryRun { expected, kind, deltas, flags, most_steps });
    }

    /// A trace did not repeat its prefix, seen at `step`; the execution with these deltas has the
    /// same prefix.
    pub fn diagnose(&mut self, deltas: &[Delta], step: u32, trace: &Trace, flags: u32) {
        let (expected, kind) = (Box::new(trace.clone()), Kind::Diagnosis(step));
        let (deltas, most_steps) = (deltas.to_vec(), u32::MAX);
        self.queue.push_back(AuxiliaryRun { expected, kind, deltas, flags, most_steps });
    }

    /// Wants this one to be done.
    pub fn push(&mut self, auxiliary_run: AuxiliaryRun) {
        self.queue.push_back(auxiliary_run);
    }
}

impl AuxiliaryRun {
    /// The execution with this schedule and these flags, whatever comes of it.
    pub fn in_quarantine(deltas: Vec<Delta>, flags: u32) -> AuxiliaryRun {
        let (expected, kind, most_steps) = (Box::default(), Kind::Quarantine, u32::MAX);
        AuxiliaryRun { expected, kind, deltas, flags, most_steps }
    }

    /// An execution that was made without rounds in vain, once more in full, by this schedule.
    pub fn in_full(trace: &Trace, deltas: Vec<Delta>) -> AuxiliaryRun {
        let (expected, kind, most_steps) = (Box::new(trace.clone()), Kind::InFull, u32::MAX);
        AuxiliaryRun { expected, kind, deltas, flags: 0, most_steps }
    }

    /// Its plan.
    pub fn write(&self, plan: &mut Plan) {
        plan.deltas.clone_from(&self.deltas);
        plan.flags = self.flags;
        plan.max_steps = plan.max_steps.min(self.most_steps);
    }

    /// May it show a failure that the search has met and not recorded yet?
    pub fn may_show(&self) -> bool {
        matches!(self.kind, Kind::Fair | Kind::InFull | Kind::Confirmation(_) | Kind::Naming(_))
    }

    /// The trace that it is about.
    pub fn expected(&self) -> &Trace {
        &self.expected
    }

    /// What the trace of a probe or diagnosis shows: the step and a message, if there is something.
    pub fn finding(&self, trace: &Trace) -> Option<(u32, String)> {
        match (&self.kind, first_difference(&self.expected, trace)) {
            (Kind::Confirmation(_) | Kind::Fair | Kind::InFull | Kind::Naming(_) | Kind::Quarantine, _) => {
                None
            }
            // One that was ended where it strayed goes on here.
            (Kind::Repetition, None) => None,
            (Kind::Repetition, Some((step, ..))) if step >= self.expected.steps => None,
            (Kind::Probe, None) if self.expected.outcome == trace.outcome => None,
            (Kind::Probe, None) => {
                let (was, is) = (self.expected.outcome, trace.outcome);
                Some((trace.steps, format!("run again, the same execution ended as {is:?}, not {was:?}")))
            }
            (Kind::Probe | Kind::Repetition, Some((step, was, is))) => {
                Some((step, format!("run again, the same schedule did {is} at step {step}, not {was}")))
            }
            (Kind::Diagnosis(seen), Some((step, is, was))) if step <= *seen => Some((
                step,
                format!("the program did not repeat itself: at step {step} it did {is}, not {was}"),
            )),
            (Kind::Diagnosis(seen), _) => {
                let said = &self.expected.message;
                let said = if said.is_empty() { String::new() } else { format!(" ({said})") };
                Some((*seen, format!("the program did not repeat itself up to step {seen}{said}")))
            }
        }
    }
}

/// Where a schedule changes threads last.
pub fn last_switch(deltas: &[Delta]) -> Option<usize> {
    deltas.iter().rposition(|d| matches!(d.choice, Choice::Thread(_)))
}

/// The first step (or choice at a step) in which two executions differ, and both sides in words.
fn first_difference(a: &Trace, b: &Trace) -> Option<(u32, String, String)> {
    let mut step = 0;
    let (mut a, mut b) = (steps(a), steps(b));
    loop {
        let (x, y) = (a.next(), b.next());
        match (x, y) {
            (None, None) => return None,
            (Some(x), Some(y)) if x.identity() == y.identity() => step += u32::from(x.is_step()),
            _ => return Some((step, describe(x), describe(y))),
        }
    }
}

/// Steps and choices.
fn steps(trace: &Trace) -> impl Iterator<Item = &Event> {
    trace.events.iter().filter(|e| e.is_step() || e.raw_kind() == OpKind::Choice as u8)
}

fn describe(event: Option<&Event>) -> String {
    match event {
        None => "nothing more".into(),
        Some(e) => match e.chosen() {
            Some(c) if e.kind() == OpKind::Choice => format!("T{} choose {c}", e.thread()),
            _ => format!("T{} {} {:#x}", e.thread(), e.kind().name(), e.object()),
        },
    }
}
