//! Reads the steps off a trace, from where it differs from the one that was read before.

use super::{Causality, Covers, Part, Step};
use crate::analysis::livelock::spins_on;
use crate::analysis::signature::is_ended;
use crate::analysis::size_of_access;
use crate::mutants::Mutant;
use crate::points::{Place, Point, points_from};
use crate::reduction::op_table::OpTable;
use raddle_schedule::{Choice, Event, Op, OpKind, Outcome, Trace, flags, round};

impl Causality {
    /// So many steps are the same as in the execution that was read last, with everything that is told
    /// of them.
    pub(super) fn in_common(&mut self, trace: &Trace) -> usize {
        let both = self.events.iter().zip(&trace.events);
        let same = both.take_while(|(a, b)| a == b).count();
        self.events.truncate(same);
        self.events.extend_from_slice(&trace.events[same..]);
        self.threads.read(&trace.events, same);
        // What is told after the last of them may differ.
        let steps = self.steps[..self.made].partition_point(|s| (s.at as usize) < same);
        steps.saturating_sub(1)
    }

    /// Reads the steps off the trace; so many are known.
    pub(super) fn read_steps(&mut self, trace: &Trace, kept: usize, op_table: &mut OpTable) {
        let (place, mut preemptions) = self.place(trace, kept);
        self.steps.truncate(kept);
        let spins = self.steps.iter().filter_map(|s| s.spin).max().map_or(0, |last| last + 1);
        self.spins.truncate(spins as usize);
        self.parts.truncate(self.steps.last().map_or(0, |last| last.parts as usize));
        let mut counts = [0; 64];
        for (count, own) in counts.iter_mut().zip(&self.own) {
            *count = own.len() as u32;
        }
        self.ends = is_ended(trace);
        self.main_returned = trace.main_returned;
        for point in points_from(trace, place) {
            match point {
                Point::Thread(p) => {
                    let number = p.event.thread() & 63;
                    let thread = self.threads.identity(number);
                    counts[usize::from(thread)] += 1;
                    let last = self.ends && p.step + 1 == trace.steps;
                    let op = self.threads.op(operation(p.event));
                    self.steps.push(Step {
                        thread,
                        index: counts[usize::from(thread)],
                        at: 0,
                        site: p.event.site,
                        rounds: 0,
                        repeats: false,
                        op_id: op_table.number(&op, last),
                        parts: 0,
                        covers: Covers::of(&op),
                        timed: p.event.flags & flags::TIMED != 0,
                        value: self.threads.value(p.event),
                        expected: compared(p.event),
                        overwrote: None,
                        same: is_same(p.event),
                        spin: None,
                        alternatives: self.threads.identities(p.alternatives()),
                        enabled: self.threads.identities(p.event.enabled),
                        previous: self.threads.identity(p.previous),
                        gave_way: p.gave_way,
                        is_default: p.default() == Some(number),
                        choice: None,
                        choices: 0,
                        is_default_choice: true,
                        hash: p.hash,
                        preemptions,
                        woken: None,
                    });
                    preemptions += u32::from(p.preempts(number));
                }
                Point::Choice(p) => {
                    if let Some(step) = self.steps.last_mut() {
                        let wakes = matches!(p.chosen, Choice::Waiter(_));
                        step.choice = Some(self.threads.choice(p.chosen));
                        step.choices = if wakes { self.threads.identities(p.mask) } else { p.mask };
                        step.is_default_choice = p.default() == Some(p.chosen);
                    }
                }
            }
        }
        self.made = self.steps.len();
        self.preemptions = preemptions;
        self.annotations(trace, place.events, kept);
        self.number_parts(kept, op_table);
        let ignored = match self.mutant {
            Some(Mutant::PendingIgnored) => true,
            Some(Mutant::PendingOfDeadlocksOnly) => trace.outcome != Outcome::Deadlock,
            _ => false,
        };
        if ignored {
            return;
        }
        for (at, event) in trace.events.iter().enumerate().filter(|(_, e)| e.kind() == OpKind::Pending) {
            let spin = self.spin(trace, at);
            let Some(op) = event.pending_op() else { continue };
            let op = self.threads.op(op);
            let thread = self.threads.identity(event.thread());
            let can = event.flags & flags::ENABLED != 0;
            self.steps.push(Step {
                thread,
                index: counts[usize::from(thread)] + 1,
                at: 0,
                site: event.site,
                rounds: 0,
                repeats: false,
                op_id: op_table.number(&op, false),
                parts: self.parts.len() as u32,
                covers: Covers::Nothing,
                timed: event.flags & flags::TIMED != 0,
                value: event.value,
                expected: None,
                overwrote: None,
                same: false,
                spin,
                alternatives: if can { 1 << thread } else { 0 },
                enabled: 0,
                previous: 0,
                gave_way: false,
                is_default: false,
                choice: None,
                choices: 0,
                is_default_choice: false,
                hash: trace.hash,
                preemptions,
                woken: None,
            });
        }
    }

    /// What a thread that goes round a spin loop there waits for.
    fn spin(&mut self, trace: &Trace, at: usize) -> Option<u32> {
        if trace.events[at].flags & flags::AWAIT == 0 {
            return None;
        }
        let mut reads = spins_on(&trace.events, at);
        reads.iter_mut().for_each(|(kind, object)| *object = self.threads.object(*kind, *object));
        self.spins.push(reads);
        Some(self.spins.len() as u32 - 1)
    }

    /// Where the execution stands before the first step that is not known, and its preemptions so far.
    fn place(&self, trace: &Trace, kept: usize) -> (Place, u32) {
        let Some(last) = kept.checked_sub(1).map(|last| &self.steps[last]) else { return (Place::BEGIN, 0) };
        let next = &self.steps[kept];
        let after = &trace.events[last.at as usize + 1..];
        let between = after.iter().take_while(|e| !e.is_step() && e.kind() != OpKind::Timeouts).count();
        let place = Place {
            events: last.at as usize + 1 + between,
            steps: kept as u32,
            previous: self.threads.number(next.previous),
            gave_way: next.gave_way,
            hash: next.hash,
        };
        (place, next.preemptions)
    }

    /// Where steps stand, their parts, what failed compare-exchanges expected, what stores overwrote, and what spin loops wait
    /// for.
    fn annotations(&mut self, trace: &Trace, from: usize, mut made: usize) {
        // What is told belongs to the operation before.
        let mut of_part = false;
        for (at, event) in trace.events.iter().enumerate().skip(from) {
            if event.is_step() {
                self.steps[made].at = at as u32;
                self.steps[made].parts = self.parts.len() as u32;
                if event.flags & flags::AWAIT != 0 {
                    self.steps[made].spin = self.spin(trace, at);
                }
                made += 1;
                of_part = false;
            } else if let Some(step) = self.steps[..self.made].get_mut(usize::wrapping_sub(made, 1)) {
                match event.kind() {
                    OpKind::Expected if !of_part => step.expected = Some(event.value),
                    OpKind::Overwrote if !of_part => step.overwrote = Some(event.value),
                    _ if event.is_part() => {
                        let op = self.threads.op(operation(event));
                        self.parts.push(Part { op, value: event.value, same: is_same(event) });
                        step.parts = self.parts.len() as u32;
                        of_part = true;
                    }
                    _ => {}
                }
            }
        }
    }

    /// Makes what steps do of all their operations.
    fn number_parts(&mut self, from: usize, op_table: &mut OpTable) {
        let mut ops = Vec::new();
        for number in from..self.made {
            if self.parts(number).is_empty() {
                continue;
            }
            ops.clear();
            ops.extend(self.parts(number).iter().map(|part| part.op));
            let step = &mut self.steps[number];
            step.op_id = op_table.with_parts(step.op_id, &mut ops);
            step.covers = Covers::Nothing;
        }
    }
}

/// Did it leave what was there, so that nobody who spins takes notice?
fn is_same(event: &Event) -> bool {
    match event.kind() {
        OpKind::AtomicRmw => event.flags & flags::SAME != 0,
        _ => event.flags & flags::UNCHANGED != 0 && round::given_back(&event.op()).is_some(),
    }
}

/// What a compare-exchange that stored expected: what it found.
fn compared(event: &Event) -> Option<u64> {
    let compares = event.kind() == OpKind::AtomicRmw && event.flags & flags::COMPARE != 0;
    (compares && !event.failed()).then_some(event.value)
}

/// The operation of an event. A free says in its value how much it frees.
fn operation(event: &Event) -> Op {
    let op = event.op();
    if op.kind == OpKind::Free { Op { size: size_of_access(event) as u32, ..op } } else { op }
}
