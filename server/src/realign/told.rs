//! What is said of a stored schedule that was looked for in the program as it is.

use super::Judged;
use super::near::Near;
use super::same::Sameness;
use crate::annotate::words;
use crate::terminal::numbers::group;
use raddle_engine::realign::{Doing, ExecutionDigest, Fate, Walk};
use raddle_protocol::report::Alignment;
use raddle_schedule::file::File;
use raddle_schedule::{Choice, Delta, Schedule};
use std::path::Path;

/// How the schedule that is run now was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// By the stored steps.
    Steps,
    /// By moving switches near by.
    Moving,
    /// By the default search.
    Search,
}

/// All that there is to say.
pub struct Said<'a> {
    /// The file.
    pub path: &'a Path,
    /// What is in it.
    pub file: &'a File,
    /// Its execution; without steps where it has none.
    pub stored: &'a ExecutionDigest,
    /// How that was followed.
    pub walk: &'a Walk<'a>,
    /// Its differences.
    pub deltas: &'a [Delta],
    /// What the schedule that is run now shows.
    pub judged: &'a Judged,
    /// The program could follow it.
    pub followable: bool,
    /// How it was found.
    pub by: By,
    /// What was run beside it.
    pub near: &'a Near<'a>,
}

/// What became of one difference.
enum Difference {
    Found,
    /// Why it was not.
    Missing(String),
    /// The program does not do any more what it is about.
    Gone(String),
}

impl Said<'_> {
    /// For reports.
    pub fn alignment(&self) -> Alignment {
        let differences: Vec<Difference> = self.deltas.iter().map(|d| self.difference(d)).collect();
        let found = differences.iter().filter(|d| matches!(d, Difference::Found)).count();
        let is_gone = differences.iter().any(|d| matches!(d, Difference::Gone(_)));
        // Of a file that says step numbers only, nothing else is to be said.
        let told = !self.stored.steps.is_empty();
        let missing = differences.into_iter().filter(|_| told).filter_map(|d| match d {
            Difference::Found => None,
            Difference::Missing(why) | Difference::Gone(why) => Some(why),
        });
        let steps = self.walk.fates().iter().filter(|f| matches!(f, Fate::Found(_))).count();
        let mut alignment = Alignment {
            how: self.how(is_gone, found == self.deltas.len()).to_string(),
            stored: self.file.schedule.clone(),
            file: self.path.display().to_string(),
            differences: self.deltas.len() as u32,
            found: found as u32,
            steps: self.stored.steps.len() as u32,
            steps_found: steps as u32,
            steps_new: self.walk.new_steps(),
            missing: missing.collect(),
            departs: self.departs(),
            searched: self.near.executions,
            complete: self.near.complete,
            text: String::new(),
            updated: false,
        };
        alignment.text = self.text(&alignment);
        alignment
    }

    /// Whether the failure happened, and how it was found. `is_gone`: the program does not do any more what a difference is
    /// about; `is_there`: all differences were found in their places.
    fn how(&self, is_gone: bool, is_there: bool) -> &'static str {
        let stopped = if self.near.interrupt.seen() { "interrupted" } else { "given-up" };
        let passing = self.file.failure.is_empty();
        let as_stored = match self.judged.sameness {
            Sameness::Other => passing && self.judged.failure.is_none(),
            _ => true,
        };
        match (as_stored, self.by) {
            (true, By::Steps) if self.walk.is_exact() && !self.stored.steps.is_empty() => "exact",
            (true, By::Steps) if self.stored.steps.is_empty() => "by-number",
            (true, By::Steps) if passing && self.walk.is_given_up() => stopped,
            (true, By::Steps) if passing && is_gone => "lost",
            (true, By::Steps) => "re-aligned",
            (true, By::Moving) => "nearby",
            (true, By::Search) => "found",
            _ if self.judged.failure.is_some() => "other",
            // Whatever is left of it: everything passes.
            _ if self.near.complete => "passes",
            _ if self.walk.is_given_up() || self.near.interrupt.seen() => stopped,
            // A step number alone says little.
            _ if is_there && self.followable && !self.stored.steps.is_empty() => "passes",
            _ if self.near.cut => stopped,
            _ if is_gone || !self.followable || self.stored.steps.is_empty() => "lost",
            // All of it is still done somewhere, and not as it was.
            _ => "given-up",
        }
    }

    fn difference(&self, delta: &Delta) -> Difference {
        let text = format!("{}:{}", delta.step, delta.choice);
        let Some(at) = self.stored.steps.iter().position(|s| s.number == delta.step) else {
            let why = match self.stored.steps.is_empty() {
                true => "the file says its step number only",
                false => "the file does not tell this step",
            };
            return Difference::Missing(format!("{text}: {why}"));
        };
        let step = self.step(at);
        let switches = matches!(delta.choice, Choice::Thread(_));
        let stopped = if switches { self.stopped(at) } else { None };
        match self.walk.fates()[at] {
            Fate::Found(_) if stopped.is_some_and(|s| self.walk.fates()[s] == Fate::Gone) => {
                let before = stopped.map(|s| self.step(s)).unwrap_or_default();
                Difference::Gone(format!(
                    "{text}: {step}, but nothing is left of where {before}, which it was before"
                ))
            }
            Fate::Found(_) if switches || self.walk.chose(at) => Difference::Found,
            Fate::Found(_) => {
                Difference::Missing(format!("{text}: {step}, where there is no such choice now"))
            }
            Fate::Displaced(_) => Difference::Missing(format!("{text}: {step}, but not there")),
            Fate::Open if self.walk.is_given_up() => {
                Difference::Missing(format!("{text}: not looked for any more"))
            }
            Fate::Open => Difference::Missing(format!("{text}: it does not come to where {step}")),
            Fate::Gone => Difference::Gone(format!("{text}: nothing is left of where {step}")),
        }
    }

    /// What the thread was about to do that was switched away from at a stored step, if it did it later.
    fn stopped(&self, at: usize) -> Option<usize> {
        let steps = &self.stored.steps;
        let before = steps.get(at.checked_sub(1)?)?.thread;
        let next = steps[at..].iter().position(|s| s.thread == before)?;
        (before != steps[at].thread).then_some(at + next)
    }

    /// A stored step in words: `T2 loads counter in increment`.
    fn step(&self, at: usize) -> String {
        let step = &self.stored.steps[at];
        format!("T{} {}", step.thread, doing(&self.stored.operations[step.does]))
    }

    fn departs(&self) -> Option<String> {
        let d = self.walk.departure()?;
        let was = self.stored.steps.get(d.stored)?;
        let thread = match d.thread == was.thread {
            true => format!("T{}", d.thread),
            false => format!("T{} (now T{})", was.thread, d.thread),
        };
        let doing = doing(&self.stored.operations[was.does]);
        Some(format!("at step {} {thread} cannot go on to where it {doing} (step {} then)", d.at, was.number))
    }

    fn text(&self, a: &Alignment) -> String {
        let plural = |n: u32| if n == 1 { "" } else { "s" };
        let found = match a.steps {
            0 => "the file says step numbers only, which may mean something else now".to_string(),
            _ => format!(
                "{} of {} difference{} and {} of {} steps found again, {} new",
                a.found,
                a.differences,
                plural(a.differences),
                a.steps_found,
                a.steps,
                a.steps_new
            ),
        };
        let found = match (self.near.interrupt.seen(), self.walk.is_given_up(), self.near.cut) {
            (true, ..) if a.how == "interrupted" => format!("interrupted; {found}"),
            (false, true, _) => format!("it takes too long to find it again; {found}"),
            (false, _, true) if a.how == "given-up" => format!("the time for looking is over; {found}"),
            _ => found,
        };
        let beside = match (a.searched, a.complete) {
            (0, _) => String::new(),
            (n, true) => {
                format!("; {} executions more were run beside it, which are all there are", group(n))
            }
            (n, false) => format!("; {} executions more were run beside it", group(n)),
        };
        let happened = match (&self.judged.failure, self.judged.sameness) {
            (Some(failure), Sameness::Renamed) => {
                format!("the failure happened, with another message: {}", one_line(&failure.message))
            }
            (Some(_), Sameness::Same) => "the same failure happened".to_string(),
            (Some(failure), Sameness::Other) => {
                format!("another failure happened: {}", one_line(&failure.message))
            }
            (None, _) => "it passes as it did".to_string(),
        };
        match a.how.as_str() {
            "exact" if self.is_hashed() => format!(
                "exact: the program or its options have changed, and all {} steps are still there; {happened}",
                a.steps
            ),
            "exact" => format!("exact: all {} steps are there; {happened}", a.steps),
            "re-aligned" => format!("re-aligned: {found}; {happened}"),
            "by-number" => format!("by step numbers: {found}; run as they are, {happened}"),
            "nearby" => format!(
                "not exact: {found}; a schedule near it was found in {} executions, with which {happened}",
                group(a.searched)
            ),
            "found" => format!(
                "not exact: {found}; a search found another schedule in {} executions, with which {happened}",
                group(a.searched)
            ),
            "other" => {
                format!("not reproduced: {found}; the stored failure did not happen, {happened}{beside}")
            }
            "passes" => format!("passes now: {found}; the stored failure does not happen{beside}"),
            "given-up" | "interrupted" => {
                format!("not known: {found}; no failure happens with what was found of it{beside}")
            }
            _ => format!("cannot hold any more: {found}; no failure happens with what is left of it{beside}"),
        }
    }
}

impl Said<'_> {
    /// Does the file say of which program it is?
    fn is_hashed(&self) -> bool {
        self.file.schedule.parse::<Schedule>().is_ok_and(|s| s.hash.is_some())
    }
}

/// An operation in words: `loads counter in increment`.
fn doing(doing: &Doing) -> String {
    let within = if doing.method.is_empty() { String::new() } else { format!(" in {}", doing.method) };
    format!("{}{within}", words::pending(doing.kind, &doing.object))
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
