//! Why an execution fails: what decides is found by running others that pass (`raddle_engine::minimise`), and
//! told in the program's own terms (`operations`). [`case`] lays that beside the execution, [`mistake`] says what kind of
//! mistake it is, [`story`] tells it, and [`screen`] puts all of it on one screen.
//!
//! It takes many executions, so there are limits ([`EXECUTIONS`], [`TIME`]), and what was not looked at is not claimed.

pub mod case;
pub mod cause;
mod context;
pub mod ends;
mod mistake;
mod nearest;
mod occurrence;
mod operations;
pub mod plain;
pub mod present;
pub mod screen;
mod sections;
mod sentence;
mod story;
mod unmodified_condition;

pub use nearest::nearest_passing;

use crate::annotate::annotated_trace::{AnnotatedTrace, Places};
use crate::explain::present::Presented;
use crate::interrupt::Interrupt;
use crate::runner::{self, Runner, Settings};
use crate::terminal::numbers::group;
use crate::terminal::paint::Paint;
use crate::terminal::text::seconds;
use case::Case;
use operations::Operations;
use raddle_engine::minimise::{self, Decision, Limits, Passing, Simplest, TargetFailure, Turned, simplest};
use raddle_engine::{ExecutorError, Failure};
use raddle_protocol::explanation::{Deciding, Explanation};
use raddle_schedule::{Delta, Granularity, Outcome, Plan, Schedule, Trace};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// Executions for one failure, at most: the same in every run.
pub const EXECUTIONS: u64 = 20_000;
/// Time for one failure, at most, for programs of which an execution takes long.
pub const TIME: Duration = Duration::from_secs(10);
/// Time, behind that, for recording the executions that were found.
const LATE: Duration = Duration::from_millis(500);

/// How executions are made for it.
pub struct Explainer<'a> {
    /// Cut an execution off after so many steps.
    pub max_steps: u32,
    /// Not every operation of the granularity is a point.
    pub restricted: bool,
    /// Executions for it, at most.
    pub executions: u64,
    /// Time for it, at most.
    pub time: Duration,
    /// Ctrl-C.
    pub interrupt: &'a Interrupt,
}

/// A failing execution, as it was run with everything recorded.
pub struct Failing<'a> {
    /// What went wrong in it.
    pub failure: &'a Failure,
    /// The same as it is shown.
    pub scene: &'a AnnotatedTrace,
    /// Its schedule.
    pub schedule: &'a Schedule,
    /// Its trace.
    pub trace: &'a Trace,
    /// Where things are in the sources.
    pub places: &'a Places<'a>,
}

/// Why an execution fails.
pub struct Explained {
    /// As it is told.
    pub told: Explanation,
    /// What decides, by the steps of the failing execution.
    pub decisions: Vec<Decision>,
}

/// Is not every operation of the schedule's granularity a point, in what the runner has just run?
pub fn is_restricted(schedule: &Schedule, settings: &Settings, runner: &Runner) -> bool {
    schedule.granularity == Granularity::Statement
        || !(settings.points_at.is_empty() && settings.trusted.is_empty())
        || runner::met_dependency_op(&runner.channel())
}

impl Explainer<'_> {
    /// What decides about a failing execution. `None` where nothing can be said of it: it took its process along,
    /// or does not repeat.
    pub fn explain(&self, failing: &Failing, runner: &mut Runner) -> Option<Explained> {
        runner.reset();
        let explained = self.look(failing, runner).ok().flatten();
        // What was left in flight.
        runner.reset();
        explained
    }

    fn look(&self, failing: &Failing, runner: &mut Runner) -> Result<Option<Explained>, ExecutorError> {
        let begun = Instant::now();
        let mut stop = || self.interrupt.seen() || begun.elapsed() > self.time;
        let trace = self.run(&failing.schedule.deltas, runner, &mut stop)?;
        if trace.lost || trace.steps != failing.trace.steps {
            return Ok(None);
        }
        let limits = self.limits(failing.schedule);
        let passing = Passing::beside(failing.failure, &trace);
        let found = minimise::deciding(runner, &trace, passing, &limits, &mut stop)?;
        runner.reset();
        let mut operations = Operations::new(failing, found.turned.len() == 1);
        let mut explanation = Explanation {
            enough: found.enough,
            passing: found.nearest.map(|deltas| text(deltas, failing.schedule)),
            executions: found.executions,
            always: found.always.filter(|_| !found.unfair_left_out),
            none_passes: found.enough && found.turned.is_empty() && !found.unfair_left_out && !found.given_up,
            unordered: operations.unordered(),
            cut_short: self.cut_short(found.enough, found.executions, begun),
            ..Explanation::default()
        };
        let decisions = found.turned.iter().map(|t| t.decision).collect();
        let mut late = || self.interrupt.seen() || begun.elapsed() > self.time + LATE;
        for turned in found.turned {
            let Ok(passing) = self.detail(&turned.passing, failing.schedule, runner, &mut late) else {
                explanation.enough = false;
                break;
            };
            let mut told = deciding(&turned, &passing, &mut operations, failing.schedule);
            let order = told.as_ref().and_then(|told| told.order.as_ref());
            let vain = order.filter(|o| !sections::is_turned(o, failing.scene, &passing, turned.then_at));
            if let Some(whole) = vain.map(|o| sections::before_all(o, failing.scene, failing.schedule)) {
                let passes = |t: &Trace| {
                    t.outcome == Outcome::Passed && Passing::beside(failing.failure, &trace).is_passed(t)
                };
                let other =
                    whole.as_ref().map(|deltas| self.detail(deltas, failing.schedule, runner, &mut late));
                let other = other.and_then(Result::ok).filter(passes);
                let (Some(told), Some(deltas), Some(other)) = (&mut told, whole, other) else {
                    explanation.enough = false;
                    continue;
                };
                told.but_races = operations.races(&other);
                told.passing = text(deltas, failing.schedule);
            }
            if let Some(order) = told.as_mut().and_then(|told| told.order.as_mut()) {
                sections::has_it(order, failing.scene, &passing, turned.then_at);
            }
            // Two orders may be told by the same operations.
            explanation.deciding.extend(told);
        }
        explanation.deciding.dedup_by(|a, b| (&a.order, &a.choice) == (&b.order, &b.choice));
        sections::told_once(&mut explanation.deciding, failing.scene);
        Ok(Some(Explained { told: explanation, decisions }))
    }

    /// The schedule of a simpler execution that fails the same way, if there is one.
    pub fn simpler(&self, failing: &Failing, runner: &mut Runner) -> Option<String> {
        runner.reset();
        let found = self.simplest(failing, runner).ok().flatten();
        runner.reset();
        found
    }

    fn simplest(&self, failing: &Failing, runner: &mut Runner) -> Result<Option<String>, ExecutorError> {
        let begun = Instant::now();
        let mut stop = || self.interrupt.seen() || begun.elapsed() > self.time;
        let trace = self.run(&failing.schedule.deltas, runner, &mut stop)?;
        let Some(mut wanted) = TargetFailure::of(failing.failure, &trace) else { return Ok(None) };
        let limits = self.limits(failing.schedule);
        let Simplest { deltas, simplicity, .. } = simplest(runner, &trace, &mut wanted, &limits, &mut stop)?;
        let failure = failing.failure;
        let is = (failure.preemptions, failure.switches, failure.steps);
        let simpler = (simplicity.preemptions, simplicity.switches, simplicity.steps) < is;
        Ok(simpler.then(|| text(deltas, failing.schedule)))
    }

    fn limits(&self, schedule: &Schedule) -> Limits {
        Limits {
            executions: self.executions,
            max_steps: self.max_steps,
            granularity: schedule.granularity,
            restricted: self.restricted,
            ..Limits::default()
        }
    }

    /// Why it was not looked any further.
    fn cut_short(&self, enough: bool, executions: u64, begun: Instant) -> Option<String> {
        match () {
            () if enough => None,
            () if self.interrupt.seen() => Some("Ctrl-C".to_string()),
            () if begun.elapsed() > self.time => Some(match self.time.as_secs() {
                0 => seconds(self.time),
                whole => format!("{whole} s"),
            }),
            () if executions >= self.executions => Some(format!("{} executions", group(self.executions))),
            // It came to its end, and does not tell everything.
            () => None,
        }
    }

    /// The execution with these differences.
    fn run(
        &self,
        deltas: &[Delta],
        runner: &mut Runner,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Trace, ExecutorError> {
        let mut trace = Trace::default();
        runner.run(&Plan::new(0, deltas.to_vec(), self.max_steps), &mut trace, stop)?;
        Ok(trace)
    }

    /// The same with everything recorded.
    fn detail(
        &self,
        deltas: &[Delta],
        schedule: &Schedule,
        runner: &mut Runner,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Trace, ExecutorError> {
        let schedule = Schedule { deltas: deltas.to_vec(), ..schedule.clone() };
        let nothing = |_: &Trace| Vec::new();
        crate::runner::detail_for_report(runner, &schedule, self.max_steps, &nothing, stop)
    }
}

/// One decision as programs get it; `passing` is the execution in which it is made otherwise.
fn deciding(
    turned: &Turned,
    passing: &Trace,
    operations: &mut Operations,
    schedule: &Schedule,
) -> Option<Deciding> {
    let (order, choice) = match turned.decision {
        Decision::Order { first, then } => {
            (Some(operations.order(first, then, passing, turned.then_at)?), None)
        }
        Decision::Choice { step } => (None, Some(operations.choice(step, turned.instead)?)),
    };
    let but_races = operations.races(passing);
    let passing = text(turned.passing.clone(), schedule);
    Some(Deciding { order, choice, passing, but_races, distance: turned.distance })
}

/// A schedule like this one.
fn text(deltas: Vec<Delta>, like: &Schedule) -> String {
    Schedule { deltas, ..like.clone() }.to_string()
}

/// Runs a schedule: does it pass, beside the failure of the execution with this trace? `None` where it cannot be followed, or
/// not until `stop` is true.
pub fn passes(
    deltas: &[Delta],
    failing: (&Failure, &Trace),
    max_steps: u32,
    runner: &mut Runner,
    stop: &mut dyn FnMut() -> bool,
) -> Option<bool> {
    if stop() {
        return None;
    }
    runner.reset();
    let mut trace = Trace::default();
    runner.run(&Plan::new(0, deltas.to_vec(), max_steps), &mut trace, stop).ok()?;
    match trace.outcome {
        Outcome::Diverged | Outcome::Unfollowable => None,
        outcome => {
            let passed = Passing::beside(failing.0, failing.1).is_passed(&trace);
            Some(outcome == Outcome::Passed && passed)
        }
    }
}

/// Says what kind of mistake a failure is, tells its story and lays out its screen. What decides may be known by
/// now or not. `attempt` runs other schedules.
pub fn tell(presented: &mut Presented, test: &str, attempt: &mut dyn FnMut(&[Delta]) -> Option<bool>) {
    let Presented { failure, told, scene, ends } = presented;
    let unknown = Explanation::default();
    let Explanation { deciding, enough, .. } = failure.explained.as_ref().unwrap_or(&unknown);
    let schedule: Schedule = failure.schedule.parse().unwrap_or_default();
    let attempt = RefCell::new(attempt);
    let attempt = |deltas: &[Delta]| (attempt.borrow_mut())(deltas);
    let case = Case {
        scene,
        deciding,
        enough: *enough,
        ends,
        failed: failure.location.as_ref(),
        thread: told.ended_by,
        cause: told.caused_by,
        schedule: &schedule.deltas,
        attempt: &attempt,
    };
    let (mistake, story) = (mistake::mistake(&case), story::story(&case));
    told.notes.extend(unmodified_condition::sentences(&case));
    // Where an order of the threads decides, it is no variable.
    if deciding.is_empty() {
        told.notes.append(&mut told.unset);
    }
    let until = failure.forms_at.map_or(usize::MAX, |at| at as usize + 1);
    let beside = context::context(&case, &context::deciding(&case), until);
    let context = beside.into_iter().map(|at| case::operation(case.scene, at)).collect();
    // Programs get the same text, whatever the terminal shows.
    let [screen, text] = [Paint::stdout(), Paint::none()].map(|paint| {
        screen::screen(&screen::Shown { test, failure, case: &case, told, mistake: mistake.as_ref(), paint })
    });
    if let Some(explained) = &mut failure.explained {
        (explained.mistake, explained.story) = (mistake, story);
        explained.saw.clone_from(&told.saw);
        explained.context = context;
        explained.text = text.iter().map(screen::plain).collect();
    }
    told.screen = screen;
}
