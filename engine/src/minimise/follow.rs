//! Makes the steps of an execution in another order, as far as that can be: stretch by stretch. A thread that goes
//! another way goes as far as it comes; one that cannot go on yet, since a lock is held, goes on when it can; and one that
//! cannot at all is left out.

use super::Runs;
use crate::executor::ExecutorError;
use crate::points::{Point, alternative, points};
use raddle_schedule::{Choice, Delta, Event, MAX_THREADS, OpKind, Outcome, Trace};

/// A step of an execution.
pub(super) struct Made {
    /// Who made it.
    pub thread: u8,
    /// The threads that could have made a step in its place.
    pub could: u64,
    /// A choice that was made at it, and its alternatives, one bit each.
    pub choice: Option<(Choice, u64)>,
    /// What it does.
    pub op: (OpKind, u64),
}

/// The steps of an execution.
pub(super) fn made(trace: &Trace) -> Vec<Made> {
    let mut made: Vec<Made> = Vec::new();
    for point in points(trace) {
        match point {
            Point::Thread(p) => {
                let op = (p.event.kind(), p.event.object());
                made.push(Made { thread: p.event.thread(), could: p.alternatives(), choice: None, op });
            }
            Point::Choice(p) => {
                made.iter_mut().rev().take(1).for_each(|m| m.choice = Some((p.chosen, p.mask)));
            }
        }
    }
    made
}

/// An order to be followed.
pub(super) struct Follow<'a> {
    /// The execution whose steps they are.
    pub failing: &'a [Made],
    /// They, in the order that is meant.
    pub order: &'a [usize],
    /// So many of them have to come so.
    pub own: usize,
    /// Who goes on behind these as far as it comes, if somebody does.
    pub on: Option<u8>,
    /// Executions, at most.
    pub most: u64,
}

/// How far an order has been followed.
struct Followed<'a, 'b, 'c> {
    runs: &'a mut Runs<'b>,
    trace: &'c mut Trace,
    most: u64,
    /// The plan so far.
    deltas: Vec<Delta>,
    /// What it makes.
    ran: Vec<Made>,
    /// The step from which on it is not what was meant yet.
    at: usize,
    /// No more may be run.
    over: bool,
}

impl Follow<'_> {
    /// Runs it. `false` if it could not be followed, or no more may be run.
    pub fn run(&self, runs: &mut Runs, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let most = self.most;
        let mut followed =
            Followed { runs, trace, most, deltas: Vec::new(), ran: Vec::new(), at: 0, over: false };
        followed.execute(self.deltas(self.order.len()))?;
        if followed.over {
            return Ok(false);
        }
        let meant = |at: usize| &self.failing[self.order[at]];
        let is_meant = |at: &usize| {
            followed.ran.get(*at).is_some_and(|is| (is.thread, is.op) == (meant(*at).thread, meant(*at).op))
        };
        let differs = (0..self.order.len()).find(|at| !is_meant(at));
        if let Some(at) = differs.filter(|at| *at < self.own)
            && waits_for_a_lock(followed.trace, at, meant(at).thread)
        {
            return Ok(false);
        }
        let differs = match (differs, self.on) {
            (None, None) => return Ok(is_one(followed.trace)),
            (Some(at), None) => at,
            (at, Some(_)) => at.map_or(self.own, |at| at.min(self.own)),
        };
        // From the stretch on that came otherwise.
        let begins = |at: &usize| *at == 0 || *at == self.own || meant(*at).thread != meant(at - 1).thread;
        let from = (0..=differs.min(self.order.len())).rev().find(|at| *at == self.order.len() || begins(at));
        self.stretch_by_stretch(from.unwrap_or(0), &mut followed)?;
        Ok(!followed.over && is_one(followed.trace))
    }

    fn stretch_by_stretch(&self, from: usize, followed: &mut Followed) -> Result<(), ExecutorError> {
        followed.execute(self.deltas(from))?;
        followed.at = from;
        let mut next = from;
        loop {
            if let Some(thread) = self.on.filter(|_| next == self.own)
                && followed.turn(thread)?
            {
                followed.go_on(thread);
            }
            let Some(thread) = self.order.get(next).map(|step| self.failing[*step].thread) else { break };
            let ends = |n: &usize| *n == self.own || self.failing[self.order[*n]].thread != thread;
            let end = (next + 1..self.order.len()).find(ends).unwrap_or(self.order.len());
            if followed.turn(thread)? {
                let steps = self.order[next..end].iter().map(|step| &self.failing[*step]);
                followed.stretch(steps)?;
            }
            if followed.over {
                break;
            }
            next = end;
        }
        Ok(())
    }

    /// The plan that makes so many steps, if each thread goes as it did.
    fn deltas(&self, steps: usize) -> Vec<Delta> {
        let (mut deltas, mut last) = (Vec::new(), 0);
        for (at, step) in self.order[..steps].iter().enumerate() {
            let (made, step) = (&self.failing[*step], at as u32);
            if made.thread != last {
                deltas.push(Delta { step, choice: Choice::Thread(made.thread) });
            }
            let usual = made.choice.and_then(|(c, mask)| alternative(c, mask.trailing_zeros() as u8));
            if let Some((choice, _)) = made.choice.filter(|(c, _)| usual != Some(*c)) {
                deltas.push(Delta { step, choice });
            }
            last = made.thread;
        }
        deltas
    }
}

impl Followed<'_, '_, '_> {
    /// Runs the plan.
    fn execute(&mut self, deltas: Vec<Delta>) -> Result<(), ExecutorError> {
        if self.runs.executions >= self.most || !self.runs.may_run() {
            self.over = true;
            return Ok(());
        }
        self.runs.run(&deltas, self.trace)?;
        self.over = self.trace.lost;
        (self.deltas, self.ran) = (deltas, made(self.trace));
        Ok(())
    }

    /// The same with one difference more.
    fn differ(&mut self, choice: Choice) -> Result<(), ExecutorError> {
        let mut deltas = std::mem::take(&mut self.deltas);
        deltas.push(Delta { step: self.at as u32, choice });
        self.execute(deltas)
    }

    /// Lets a thread go on, here or as soon as it can while the one that runs goes on. `false` if it cannot.
    fn turn(&mut self, thread: u8) -> Result<bool, ExecutorError> {
        let Some(current) = self.ran.get(self.at).map(|m| m.thread) else { return Ok(false) };
        let could = |m: &Made| m.thread == thread || m.could >> (usize::from(thread) % MAX_THREADS) & 1 != 0;
        let goes_on = self.ran[self.at..].iter().take_while(|m| m.thread == current).count();
        let end = self.ran.len().min(self.at + goes_on + 1);
        let Some(begin) = (self.at..end).find(|at| could(&self.ran[*at])) else { return Ok(false) };
        self.at = begin;
        if self.ran[begin].thread != thread {
            self.differ(Choice::Thread(thread))?;
        }
        Ok(!self.over)
    }

    /// Lets the thread that runs make these steps; as far as it comes, if it goes another way.
    fn stretch<'m>(&mut self, steps: impl Iterator<Item = &'m Made>) -> Result<(), ExecutorError> {
        for meant in steps {
            let Some(is) = self.ran.get(self.at).filter(|is| is.thread == meant.thread) else { break };
            if is.op != meant.op {
                self.go_on(meant.thread);
                break;
            }
            if let (Some((is, mask)), Some((choice, _))) = (is.choice, meant.choice)
                && is != choice
                && (0..64).any(|n| mask >> n & 1 != 0 && alternative(is, n) == Some(choice))
            {
                self.differ(choice)?;
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Lets the thread that runs go on as far as it comes.
    fn go_on(&mut self, thread: u8) {
        let rest = self.ran.get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|m| m.thread == thread).count();
    }
}

/// Is it an execution at all?
fn is_one(trace: &Trace) -> bool {
    !matches!(trace.outcome, Outcome::Diverged | Outcome::Unfollowable | Outcome::Unsupported)
}

/// Did a thread, which does what it is meant to, not make this step since another one held a lock? Then a stretch was not moved, but stopped in
/// the middle. (That it waits for something, or ends, is its own way to go.)
fn waits_for_a_lock(trace: &Trace, step: usize, thread: u8) -> bool {
    let mut rest = trace.events.iter().filter(|e| e.is_step()).skip(step).peekable();
    if rest.peek().is_some_and(|e| e.thread() == thread) {
        return false;
    }
    let next = rest.find(|e| e.thread() == thread).map(Event::kind);
    let pending = trace.events.iter().filter(|e| e.thread() == thread).find_map(Event::pending_op);
    let next = next.or(pending.map(|op| op.kind));
    matches!(next, Some(OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock))
}
