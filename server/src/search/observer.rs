//! What a search is watched by: the clock, Ctrl-C and whoever reads the progress. Looked at
//! between traces, and so rarely that it does not slow the search.

use super::Job;
use crate::estimate;
use crate::progress::{Meter, Reading};
use crate::terminal::text::seconds;
use raddle_engine::{Bound, Control, Portfolio, Progress, StopReason};
use std::time::{Duration, Instant};

/// The watch over one search.
pub struct Observer<'a> {
    job: &'a Job<'a>,
    begun: Instant,
    /// When the first execution had come back, in seconds.
    pub first: Option<f64>,
    /// Time in which the search was made to stand still.
    pub still: Duration,
    /// Shows the progress on a terminal.
    meter: Option<Meter>,
    /// Calls until the clock is looked at again, and how many that were last time.
    until: u32,
    stride: u32,
    looked: Instant,
    /// Executions at the last call: when there are no more, the engine only waits.
    executions: u64,
}

impl<'a> Observer<'a> {
    /// Over the search that begins now.
    pub fn new(job: &'a Job, begun: Instant, shown: bool) -> Self {
        let meter = shown.then(|| Meter::new(&job.test.name, job.time));
        let still = Duration::ZERO;
        Observer { job, begun, first: None, still, meter, until: 0, stride: 1, looked: begun, executions: 0 }
    }

    /// Time since it began, less that in which the search was made to stand still.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed().saturating_sub(self.still)
    }

    /// Is called after every trace, and now and then while there is none.
    pub fn see(&mut self, search: &Portfolio) -> Control {
        let p = &search.progress();
        let idle = std::mem::replace(&mut self.executions, p.executions) == p.executions;
        if self.until > 0 && !idle {
            self.until -= 1;
            return Control::Continue;
        }
        let now = Instant::now();
        if self.first.is_none() && p.executions > 0 {
            self.first = Some((now - self.begun).as_secs_f64());
        }
        // Aims at a look every few milliseconds, whatever the rate of executions.
        let gap = now - self.looked;
        self.stride =
            if gap < Duration::from_millis(2) { (self.stride * 2).min(256) } else { self.stride / 2 };
        self.until = self.stride;
        self.looked = now;
        self.look(now, p, search)
    }

    fn look(&mut self, now: Instant, p: &Progress, search: &Portfolio) -> Control {
        if self.job.interrupt.seen() {
            return Control::Stop(self.job.interrupt.reason());
        }
        if let Some(time) = self.job.time
            && self.job.spent.time + (now - self.begun).saturating_sub(self.still) >= time
        {
            return Control::Stop(StopReason::Time(seconds(time)));
        }
        let Some(meter) = self.meter.as_mut().filter(|m| m.is_due(now)) else { return Control::Continue };
        let iterative = matches!(self.job.config.bound, Bound::Iterative);
        let doing = if p.audited > 0 { format!("{} audit runs", p.audited) } else { String::new() };
        let estimate = search.estimate();
        let reading = Reading {
            executions: p.executions,
            waiting: p.waiting,
            bound: iterative.then_some(p.preemptions),
            of_bound: estimate.is_some_and(|e| e.preemptions.is_some()),
            estimate: estimate.map(|e| estimate::told(e).text),
            failures: p.failures as usize,
            doing: &doing,
        };
        meter.show(now, &reading);
        Control::Continue
    }
}
