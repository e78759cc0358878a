//! What to do about a search that found nothing and did not end: one line, by what cut it.

use raddle_engine::{Bound, Config, StopReason, Summary};
use raddle_schedule::MANY_ACCESSES;

/// How many times as many steps are proposed where executions were cut off.
const MORE_STEPS: u32 = 10;

/// The next step of the default search (`is_default`), or of one whose axes were named; none where the search has ended, a person has ended it, or other lines say what to do.
pub fn next_step(config: &Config, is_default: bool, s: &Summary) -> Option<String> {
    if s.complete || !s.failures.is_empty() {
        return None;
    }
    match &s.stopped {
        Some(StopReason::Time(limit)) => Some(match shorter(config, is_default, s) {
            Some(shorter) => format!("name a longer --time than {limit}, or {shorter}"),
            None => format!("name a longer --time than {limit}, or have the test do less"),
        }),
        Some(StopReason::Executions(n)) if config.executions.is_some() => {
            let n = crate::terminal::numbers::group(*n);
            Some(format!("leave --executions out, or name more than {n}"))
        }
        Some(StopReason::Spill(_)) => {
            Some("name more --memory, or make room in the cache folder".to_string())
        }
        None if s.truncated > 0 => {
            let is_by_steps = s.warnings.iter().all(|w| w.message != MANY_ACCESSES);
            let more = config.max_steps.saturating_mul(MORE_STEPS);
            is_by_steps.then(|| format!("name --max-steps {more}, or have the test's loops end sooner"))
        }
        _ => None,
    }
}

/// A search that has fewer executions.
fn shorter(config: &Config, is_default: bool, s: &Summary) -> Option<String> {
    if config.order.samples() {
        return Some("leave --order out: the default search ends by itself where it can".into());
    }
    match (config.bound, s.bound_completed) {
        (Bound::Preemptions(0) | Bound::Depth(0), _) => None,
        (Bound::Preemptions(n), _) => Some(format!("a lower bound, such as --bound preemptions={}", n - 1)),
        (Bound::Depth(n), _) => Some(format!("a lower bound, such as --bound depth={}", n / 2)),
        (_, Some(c)) => Some(format!("--bound preemptions={c}, which was complete within it")),
        (Bound::None, None) if !is_default => {
            Some("--bound iterative, which begins with few preemptions".into())
        }
        // The default search has begun with few preemptions.
        (_, None) => Some("--points-at FUNCTIONS, for schedule points in these alone".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(config: &Config, stopped: StopReason, completed: Option<u32>, wanted: Option<&str>) {
        let stopped = Some(stopped);
        let s = Summary { stopped, bound_completed: completed, ..Summary::default() };
        assert_eq!(next_step(config, true, &s).as_deref(), wanted);
    }

    #[test]
    fn what_cut_a_search_says_what_to_do() {
        let plain = Config::default();
        let time = || StopReason::Time("60 s".into());
        let longer = "name a longer --time than 60 s, or ";
        let bound = "--bound preemptions=2, which was complete within it";
        check(&plain, time(), Some(2), Some(&format!("{longer}{bound}")));
        let points = "--points-at FUNCTIONS, for schedule points in these alone";
        check(&plain, time(), None, Some(&format!("{longer}{points}")));
        let bounded = Config { bound: Bound::Preemptions(3), ..Config::default() };
        check(
            &bounded,
            time(),
            Some(1),
            Some(&format!("{longer}a lower bound, such as --bound preemptions=2")),
        );
        let none = Config { bound: Bound::Preemptions(0), ..Config::default() };
        check(&none, time(), None, Some(&format!("{longer}have the test do less")));
        let limited = Config { executions: Some(1_500), ..Config::default() };
        check(
            &limited,
            StopReason::Executions(1_500),
            None,
            Some("leave --executions out, or name more than 1,500"),
        );
        let unbounded = Summary { stopped: Some(time()), ..Summary::default() };
        let iterative = "--bound iterative, which begins with few preemptions";
        assert_eq!(next_step(&plain, false, &unbounded), Some(format!("{longer}{iterative}")));
        // Ctrl-C needs no advice; nor does what is complete, or fails.
        check(&plain, StopReason::Interrupted, None, None);
        let truncated = Summary { truncated: 2, ..Summary::default() };
        let more = next_step(&Config { max_steps: 1_000, ..Config::default() }, true, &truncated);
        assert_eq!(more.as_deref(), Some("name --max-steps 10000, or have the test's loops end sooner"));
        let complete = Summary { complete: true, ..truncated };
        assert_eq!(next_step(&plain, true, &complete), None);
    }
}
