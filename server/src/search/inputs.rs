//! Inputs that the program asked for by a name (`__VERIFIER_nondet_int`), and random numbers that were explored as such: the
//! guarantee says which.

use raddle_protocol::gap::Gap;
use raddle_protocol::report::Report;
use raddle_schedule::channel::Channel;
use raddle_schedule::input::{INPUTS, RANDOM, SMALL, Values, random_number};
use std::sync::atomic::Ordering;

/// Says so where there were any.
pub(super) fn tell(channel: &Channel, report: &mut Report) {
    let asked = channel.header().inputs.load(Ordering::Relaxed);
    let Ok(list) = Values::parse(channel.inputs()) else { return };
    let was_asked = |number: u64| asked >> number & 1 != 0;
    let asked_for =
        || INPUTS.iter().enumerate().filter(|(i, _)| was_asked(*i as u64 + 1)).map(|(_, input)| input);
    if asked_for().any(|input| !input.has_every_value(&list)) {
        report.gaps.insert(Gap::Inputs);
    }
    add(report, "inputs: ", &asked_for().map(|input| input.told(&list)).collect::<Vec<_>>().join("; "));
    let random = RANDOM.iter().filter(|name| was_asked(random_number(name))).copied();
    let from = random.collect::<Vec<_>>().join(", ");
    add(report, &format!("explored: random numbers below 2 to {SMALL} of "), &from);
}

/// Adds a term to the guarantee, if there is anything to say.
fn add(report: &mut Report, head: &str, told: &str) {
    if told.is_empty() || report.guarantee.is_empty() {
        return;
    }
    let terms = report.guarantee.strip_suffix(')').unwrap_or(&report.guarantee);
    report.guarantee = format!("{terms}, {head}{told})");
}
