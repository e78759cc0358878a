//! Whoever looks at a search and directs it: a worker of the host. The search and its runner live
//! on the thread that called [`super::Job::run_with`], and are lent to the watch between any two
//! steps.

use super::Job;
use super::selection::{Named, Seen};
use crate::runner::Runner;
use raddle_engine::Portfolio;
use std::time::Duration;

/// A search that is under way.
pub struct Running<'a> {
    /// What is searched.
    pub job: &'a Job<'a>,
    /// The search: progress, failures, what was covered so far.
    pub search: &'a mut Portfolio,
    /// Who executes for it. Plans are in flight, so it may be asked for nothing but what it knows.
    pub(super) runner: &'a mut Runner,
    /// Variables that were met while the focus named some.
    pub(super) seen: Seen,
}

impl Running<'_> {
    /// Prioritises these from now on, in the place of what was prioritised before. An order that
    /// knows no priorities goes on as it was.
    pub fn focus(&mut self, named: &Named) {
        let Job { target, own, .. } = self.job;
        let selection = named.selection(self.runner, target, own, &self.seen);
        self.search.refocus(selection, !named.is_empty());
    }
}

/// Looks at a search between its steps, and may direct it. Without one, a terminal shows the
/// progress.
pub trait Watch {
    /// Before the first step; again when the search begins anew because executions did not repeat.
    /// The job's focus is in force.
    fn begun(&mut self, _: &mut Running) {}

    /// After every step, and at least every 50 ms. While it does not return the search is paused,
    /// however long: plans in flight are executed meanwhile, and wait. Gives back how long it made
    /// the search stand still: that is no time of searching.
    fn between(&mut self, running: &mut Running) -> Duration;

    /// After the last step.
    fn ended(&mut self, search: &Portfolio);
}
