//! What a trace shows: it is learned, and compared with what the model says of the same steps.

use super::{Walk, Want};
use crate::points::{Point, bits, points};
use crate::states::model::learned::Beyond;
use crate::states::model::state::{Going, Step};
use raddle_schedule::{Choice, Event, OpKind, Outcome, Trace, flags};

impl Walk {
    /// Learns from a trace, and compares it with what is known.
    pub(super) fn read(&mut self, trace: &Trace) -> Result<(), Beyond> {
        // Whose panic is told, of several, depends on which came first.
        if trace.outcome == Outcome::Panic {
            return Err(Beyond);
        }
        self.learn(trace)?;
        self.compare(trace)
    }

    fn learn(&mut self, trace: &Trace) -> Result<(), Beyond> {
        let (state, learned) = (&mut self.reading, &mut self.learned);
        state.clear();
        let mut unfinished = 0u64;
        for event in &trace.events {
            let (marking, thread) = (state.marking(), event.thread());
            match event.kind() {
                OpKind::Pending => {
                    unfinished |= 1 << (thread & 63);
                    learned.does(marking, marking.place(thread), event)?;
                    continue;
                }
                OpKind::Expected | OpKind::Overwrote => continue,
                OpKind::Choice if matches!(event.chosen(), Some(Choice::Waiter(_))) => continue,
                _ if !event.is_step() || event.flags & flags::ALONE != 0 => return Err(Beyond),
                _ => {}
            }
            let place = marking.place(thread);
            learned.does(marking, place, event)?;
            match event.kind() {
                OpKind::AtomicRmw => learned.turned_out(place, marking.found(event), event.failed())?,
                OpKind::SemWait | OpKind::SemTryWait | OpKind::SemPost if !state.has_counted(event) => {
                    learned.counts(event.object(), event.value)?;
                }
                _ => {}
            }
            state.take(event);
        }
        // Who is about to do nothing, and has not ended.
        for thread in bits(state.living() & !unfinished) {
            learned.ended(state.marking().place(thread))?;
        }
        Ok(())
    }

    /// Does the model say the same of all that happened?
    fn compare(&mut self, trace: &Trace) -> Result<(), Beyond> {
        self.reading.clear();
        self.preemptions = 0;
        let wanted = self.frames[self.len - 1].state.steps;
        let wants = matches!(self.want, Some(Want::State));
        let mut waiter =
            trace.events.iter().filter_map(|e| e.chosen().filter(|_| e.kind() == OpKind::Choice));
        for point in points(trace) {
            let Point::Thread(point) = point else { continue };
            let (state, event) = (&mut self.reading, point.event);
            if wants && state.steps == wanted && !state.is_like(&self.frames[self.len - 1].state) {
                return Err(Beyond);
            }
            if point.timeouts != 0 || state.going(&self.learned) != Going::On(event.enabled) {
                return Err(Beyond);
            }
            self.preemptions += u32::from(point.preempts(event.thread()));
            let Step::Does(mut step, several) = state.step(event.thread(), None, &self.learned)? else {
                return Err(Beyond);
            };
            if several != 0 {
                let Some(Choice::Waiter(woken)) = waiter.next() else { return Err(Beyond) };
                step.value = several & 1 << (woken & 63);
            }
            if !is_the_same(&step, event) {
                return Err(Beyond);
            }
            state.take(event);
        }
        let (state, going) = (&self.reading, self.reading.going(&self.learned));
        if wants
            && (state.steps < wanted
                || !state.is_like(&self.frames[self.len - 1].state) && state.steps == wanted)
        {
            return Err(Beyond);
        }
        match going {
            Going::On(0) => {
                self.ends.insert(state.key());
            }
            Going::On(_) if trace.outcome == Outcome::Truncated => self.cut_off = true,
            Going::Ended if trace.outcome != Outcome::Deadlock => {}
            _ => return Err(Beyond),
        }
        Ok(())
    }
}

/// Are these the same step?
fn is_the_same(a: &Event, b: &Event) -> bool {
    let tells = matches!(
        a.kind(),
        OpKind::Spawn
            | OpKind::NotifyOne
            | OpKind::NotifyAll
            | OpKind::SemWait
            | OpKind::SemTryWait
            | OpKind::SemPost
            | OpKind::Park
            | OpKind::Unpark
            | OpKind::CondEnqueue
            | OpKind::CondWake
    );
    a.kind() == b.kind()
        && a.object() == b.object()
        && a.failed() == b.failed()
        && (!tells || a.value == b.value)
}
