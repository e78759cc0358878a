//! Cuts an execution off at the first step of a thread that was asleep. An executor is told which threads sleep, and wakes each
//! by its next operation; of a step with several operations it knows no more than the first. So in searches with such steps
//! nobody is told, and threads that sleep may run. Whatever follows such a step is explored elsewhere, and says nothing of what
//! could have followed in its place: a race with a later step is not one that the state before has.

use super::super::{Causality, OpId, Sink};
use super::{Reversal, Run, threads};
use crate::mutants::Mutant;
use crate::points::bits;
use raddle_schedule::{Event, MAX_THREADS, OpKind, Outcome, Trace, flags};

impl Reversal {
    /// Reads the execution again up to the first step, behind those that were asked for, of a thread that was asleep, and has
    /// another thread make a step there, if one is awake. Returns what was read; `None` if no such step was made.
    pub(super) fn cut(
        &mut self,
        asked: usize,
        predicted: OpId,
        trace: &Trace,
        sink: &mut dyn Sink,
    ) -> Option<Trace> {
        if !self.op_table.has_parts() || !self.strategy.sleeps() {
            return None;
        }
        let every = self.strategy.explores_every_thread() && self.mutant != Some(Mutant::OneStandsIn);
        let (mut run, _) = self.laid(asked, predicted, Vec::new());
        let number = run.first_asleep()?;
        if run.mutant == Some(Mutant::SleepersHide) {
            return None;
        }
        run.go_on_awake(number, every, sink);
        let cut = up_to(number, trace, &self.causality);
        self.causality.read(&cut, &mut self.op_table);
        Some(cut)
    }
}

impl Run<'_> {
    fn first_asleep(&self) -> Option<usize> {
        let is_asleep = |n: &usize| threads(self.asleep(*n)) >> self.causality.steps[*n].thread & 1 != 0;
        (self.asked.max(self.floor)..self.causality.made).find(is_asleep)
    }

    /// Instead of the step of a thread that was asleep, one of a thread that is awake is explored, or of every one.
    fn go_on_awake(&mut self, number: usize, every: bool, sink: &mut dyn Sink) {
        let asleep = threads(self.asleep(number));
        let state = self.state(number);
        let explored = self.tree.children(state).fold(0, |mask, id| mask | 1 << self.tree.label(id).thread);
        let awake = self.causality.steps[number].alternatives & !asleep;
        if every {
            for thread in bits(awake & !explored) {
                self.insert_step(number, thread, true, sink);
            }
        } else if explored & awake == 0 {
            // A thread that is out of scope cannot stand in: the next one does.
            bits(awake).find(|thread| self.insert_step(number, *thread, true, sink));
        }
    }
}

/// The execution as it would have been told, had it ended before this step since everybody who could go on was asleep.
fn up_to(number: usize, trace: &Trace, causality: &Causality) -> Trace {
    let made = causality.steps[number];
    let mut steps = trace.events.iter().enumerate().filter(|(_, e)| e.is_step());
    let at = steps.nth(number).map_or(trace.events.len(), |(at, _)| at);
    let (before, after) = trace.events.split_at(at);
    let mut events = before.to_vec();
    // A step has its annotation of possible time-outs before it.
    while events.pop_if(|e| e.kind() == OpKind::Timeouts).is_some() {}
    let mut seen = 0u64;
    let mut born = 0u64;
    let mut main_returned = trace.main_returned;
    for event in after.iter().filter(|e| e.is_step() || e.kind() == OpKind::Pending) {
        let thread = event.thread() & 63;
        if (seen | born) >> thread & 1 == 0 {
            let could = made.alternatives >> causality.threads.identity(thread) & 1 != 0;
            let mut pending = if event.is_step() { Event::pending(event, could) } else { *event };
            pending.flags = pending.flags & !flags::ENABLED | if could { flags::ENABLED } else { 0 };
            events.push(pending);
            main_returned &= thread != 0;
        }
        seen |= 1 << thread;
        if event.kind() == OpKind::Spawn && !event.failed() && event.value < MAX_THREADS as u64 {
            born |= 1 << event.value;
        }
    }
    Trace {
        outcome: Outcome::SleepBlocked,
        main_returned,
        steps: number as u32,
        hash: made.hash,
        events,
        ..Trace::default()
    }
}
