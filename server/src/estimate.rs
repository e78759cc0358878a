//! The engine's estimate as it is told, to people and to programs.

use crate::terminal::numbers::group;
use raddle_engine::{Confidence, Estimate};
use raddle_protocol::report;

/// With its words.
pub fn told(e: Estimate) -> report::Estimate {
    report::Estimate {
        executions: e.executions,
        low: e.low,
        high: e.high,
        confidence: e.confidence.name().to_string(),
        share: e.share,
        preemptions: e.preemptions,
        text: text(&e),
    }
}

/// `≈ 12 % of about 45,000 (30,000–80,000)`, `perhaps 12 % of 45,000 (9,000–200,000)`.
fn text(e: &Estimate) -> String {
    let (sign, about) = match e.confidence {
        Confidence::Low => ("perhaps", ""),
        _ => ("≈", "about "),
    };
    let share = match e.share {
        s if s < 0.01 => "under 1 %".to_string(),
        // All but the last has been run: that is not all.
        s => format!("{sign} {:.0} %", (s * 100.0).floor().min(99.0)),
    };
    let (low, high) = (round(e.low, false), round(e.high, true));
    format!("{share} of {about}{} ({}–{})", group(nearest(e.executions)), group(low), group(high))
}

/// To two digits, since more would be a lie; up or down.
fn round(n: u64, up: bool) -> u64 {
    let unit = unit(n);
    let down = n / unit * unit;
    if up && down < n { down.saturating_add(unit) } else { down }
}

fn nearest(n: u64) -> u64 {
    let unit = unit(n);
    n.saturating_add(unit / 2) / unit * unit
}

fn unit(n: u64) -> u64 {
    10u64.pow(n.checked_ilog10().unwrap_or(0).saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_and_a_range_around_them() {
        let (low_one, medium) = (Confidence::Low, Confidence::Medium);
        let e = |executions, low, high, share, confidence| {
            text(&Estimate { executions, low, high, share, confidence, preemptions: None })
        };
        assert_eq!(e(45_123, 30_999, 79_001, 0.129, medium), "≈ 12 % of about 45,000 (30,000–80,000)");
        assert_eq!(
            e(1_234_567, 999_999, 2_000_000, 0.004, medium),
            "under 1 % of about 1,200,000 (990,000–2,000,000)"
        );
        assert_eq!(e(96, 9, 100, 0.999, low_one), "perhaps 99 % of 96 (9–100)");
        assert_eq!(e(u64::MAX, 0, u64::MAX, 1.0, medium).split(' ').nth(1), Some("99"));
    }
}
