//! `--ci`: no progress, and one time budget for all tests. The times of tests are kept in the cache, so that the next run begins
//! with the slowest.

use crate::cache::{Cache, Key};
use crate::progress;
use crate::schedules;
use crate::search::{Explored, Job};
use crate::target::{Target, Test};
use raddle_protocol::report::Verdict;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The budget where --time names none.
const BUDGET: Duration = Duration::from_secs(600);
/// A search that begins again takes this many times as long as the one before, at least.
const MORE: f64 = 1.5;
/// With less than this a search cannot begin.
const LEAST: Duration = Duration::from_millis(20);

/// The option.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Ci {
    /// For CI servers: show no progress; --time is for all tests together [default then: 10m]. The tests that were slowest the
    /// last time come first, by times in the cache folder
    #[arg(long, conflicts_with = "attach")]
    ci: bool,
}

impl Ci {
    /// Was it given?
    pub fn is_on(self) -> bool {
        self.ci
    }

    /// Before anything is said.
    pub fn begin(self) {
        if self.ci {
            progress::silence();
        }
    }

    /// The time that these tests share; without the option each has its own.
    pub fn budget(self, time: Option<Duration>, target: &Target, tests: &[Test]) -> Budget {
        let searched = tests.iter().filter(|t| !t.ignore).map(|t| t.name.clone()).collect();
        let Some(cache) = self.ci.then(|| Cache::locate().ok()).flatten() else {
            return Budget { shared: None, left: searched };
        };
        let path = schedules::path_of(&target.named, &target.root).unwrap_or_default();
        let file = format!("times/{}.json", Key::new().add_os(&target.root).add(path).hex(16));
        let known = cache.read(&file).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let until = Instant::now() + time.unwrap_or(BUDGET);
        Budget { shared: Some(Shared { until, cache, file, known, new: BTreeMap::new() }), left: searched }
    }
}

/// The time of the tests of one run.
pub struct Budget {
    shared: Option<Shared>,
    /// Tests that were not searched yet.
    left: Vec<String>,
}

struct Shared {
    until: Instant,
    cache: Cache,
    file: String,
    /// Milliseconds that a test took the last time.
    known: BTreeMap<String, u64>,
    /// The same of this time.
    new: BTreeMap<String, u64>,
}

impl Budget {
    /// The tests in the order in which they are searched.
    pub fn order<'t>(&mut self, tests: &'t [Test]) -> Vec<&'t Test> {
        let mut ordered: Vec<&Test> = tests.iter().collect();
        if let Some(shared) = &self.shared {
            // Nobody knows how long a new test takes: it comes before all others.
            let time = |name: &str| shared.known.get(name).copied().unwrap_or(u64::MAX);
            ordered.sort_by_key(|t| std::cmp::Reverse(time(&t.name)));
        }
        ordered
    }

    /// Is no time left for another test?
    pub fn is_used_up(&self) -> bool {
        self.shared.as_ref().is_some_and(|s| s.until.saturating_duration_since(Instant::now()) < LEAST)
    }

    /// Searches a test within its share.
    pub fn run(&mut self, mut job: Job) -> Explored {
        let name = job.test.name.clone();
        self.left.retain(|left| *left != name);
        let began = Instant::now();
        if let Some(shared) = &self.shared {
            let left = shared.until.saturating_duration_since(began);
            let later =
                self.left.iter().map(|name| shared.known.get(name).map(|ms| Duration::from_millis(*ms)));
            job.time = Some(share(left, later));
            job.is_time_named = true;
        }
        let explored = job.run();
        if let Some(shared) = &mut self.shared {
            shared.new.insert(name, began.elapsed().as_millis() as u64);
        }
        explored
    }

    /// Did a test use its share up, with tests behind it that may need less than theirs?
    pub fn is_worth_more(&self, explored: &Explored) -> bool {
        let waits = self.shared.is_some() && !self.left.is_empty();
        waits && explored.report.verdict == Verdict::Incomplete
    }

    /// Searches a test again with what all others have left, shared with so many that are searched again behind it;
    /// nothing where that is not clearly more than it had.
    pub fn run_again(&mut self, mut job: Job, before: &Explored, behind: usize) -> Option<Explored> {
        let shared = self.shared.as_mut()?;
        let began = Instant::now();
        let time = shared.until.saturating_duration_since(began) / (behind as u32 + 1);
        if time.as_secs_f64() < MORE * before.report.seconds {
            return None;
        }
        (job.time, job.is_time_named) = (Some(time), true);
        let name = job.test.name.clone();
        let explored = job.run();
        shared.new.insert(name, began.elapsed().as_millis() as u64);
        Some(explored)
    }

    /// Keeps the times for the next run. Without them that only begins in another order.
    pub fn store(self) {
        let Some(Shared { cache, file, mut known, new, .. }) = self.shared else { return };
        known.extend(new);
        if let Ok(text) = serde_json::to_string(&known) {
            let _ = cache.write(&file, &text);
        }
    }
}

/// The time of a test, of what is left for it and for later ones of these known times: all that the later ones do not need, and
/// an equal share at least.
fn share(left: Duration, later: impl Iterator<Item = Option<Duration>> + Clone) -> Duration {
    let equal = left / (later.clone().count() as u32 + 1);
    // Machines of CI servers are not equally fast every time.
    let need = |known: Option<Duration>| known.map_or(equal, |time| (time * 2 + LEAST).min(equal));
    left.saturating_sub(later.map(need).sum()).max(equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(left: u64, later: &[Option<u64>]) -> u64 {
        let later = later.iter().map(|known| known.map(Duration::from_secs));
        share(Duration::from_secs(left), later).as_secs()
    }

    #[test]
    fn a_test_gets_what_later_ones_do_not_need() {
        assert_eq!(seconds(60, &[]), 60);
        // Nothing is known: equal shares.
        assert_eq!(seconds(60, &[None, None]), 20);
        // 2 s twice, 1 s twice, and a little.
        assert_eq!(seconds(60, &[Some(2), Some(1)]), 53);
        // Nobody waits for more than an equal share, and nobody gets less.
        assert_eq!(seconds(60, &[Some(100), None]), 20);
    }
}
