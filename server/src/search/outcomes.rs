//! Where the order of the same steps leaves different values: which, by each of the two ways. Both are run once more,
//! up to where they differ.

use super::{Job, Rest};
use crate::annotate::annotated_trace::AnnotatedTrace;
use crate::annotate::names::Names;
use crate::runner::Runner;
use crate::runner::detail_for_report;
use crate::symbols::Symbols;
use raddle_engine::Ways;
use raddle_schedule::{OpKind, Outcome, Schedule};
use std::collections::BTreeMap;

/// Most variables that are told.
const MOST: usize = 3;

impl Job<'_> {
    /// `met = 4 after statement@3:T2, 2 after statement@2:T2`; `None` where no value is known.
    pub(super) fn outcomes(&self, ways: &Ways, rest: &Rest, runner: &mut Runner) -> Option<String> {
        let [first, second] = &ways.schedules;
        let left = self.left_behind(first, ways.steps, rest, runner)?;
        let other = self.left_behind(second, ways.steps, rest, runner)?;
        let differ = |(name, value): (&String, &String)| {
            let other = other.get(name).filter(|other| *other != value)?;
            Some(format!("{name} = {value} after {first}, {other} after {second}"))
        };
        let differing: Vec<String> = left.iter().filter_map(differ).collect();
        let more = match differing.len().saturating_sub(MOST) {
            0 => String::new(),
            n => format!("; and {n} more"),
        };
        let told: Vec<String> = differing.into_iter().take(MOST).collect();
        (!told.is_empty()).then(|| told.join("; ") + &more)
    }

    /// What was written last to each variable in the first so many steps.
    fn left_behind(
        &self,
        schedule: &Schedule,
        steps: u32,
        rest: &Rest,
        runner: &mut Runner,
    ) -> Option<BTreeMap<String, String>> {
        let trace =
            detail_for_report(runner, schedule, steps, &|_| Vec::new(), &mut || rest.is_used_up()).ok()?;
        // Another end than there was, and it tells nothing.
        if trace.lost
            || trace.steps != steps
            || matches!(trace.outcome, Outcome::Diverged | Outcome::Unfollowable)
        {
            return None;
        }
        let symbols = Symbols::new(runner.maps(), self.own.clone());
        let places = self.places(&symbols, runner);
        let scene = AnnotatedTrace::new(&trace, &places, &mut Names::new(&symbols));
        let writes = |k| matches!(k, OpKind::Write | OpKind::AtomicStore | OpKind::AtomicRmw);
        let written = scene.events.into_iter().filter(|e| writes(e.kind) && !e.failed);
        Some(written.filter_map(|e| Some((e.object, e.told.value?))).collect())
    }
}
