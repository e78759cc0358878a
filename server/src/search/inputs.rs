//! Inputs that the program asked for by a name (`__VERIFIER_nondet_int`): the guarantee says which of their values were explored.

use raddle_protocol::report::Report;
use raddle_schedule::channel::Channel;
use raddle_schedule::input::{INPUTS, Values};
use std::sync::atomic::Ordering;

/// Says so where there were any.
pub(super) fn tell(channel: &Channel, report: &mut Report) {
    let asked = channel.header().inputs.load(Ordering::Relaxed);
    let Ok(list) = Values::parse(channel.inputs()) else { return };
    let told: Vec<String> = INPUTS
        .iter()
        .enumerate()
        .filter(|(i, _)| asked >> (i + 1) & 1 != 0)
        .map(|(_, input)| input.told(&list))
        .collect();
    if told.is_empty() || report.guarantee.is_empty() {
        return;
    }
    let terms = report.guarantee.strip_suffix(')').unwrap_or(&report.guarantee);
    report.guarantee = format!("{terms}, inputs: {})", told.join("; "));
}
