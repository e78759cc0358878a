//! What happens, in sentences: who does what of that which decides, in the order of the execution, and who was
//! preempted between what.

use super::case::{Case, number};
use super::sentence::Speaker;
use crate::terminal::text::circled;
use raddle_protocol::explanation::Operation;

/// The sentences; none where nothing is known to decide.
pub fn story(case: &Case) -> Vec<String> {
    let speaker = Speaker::new(case);
    let told = operations(case);
    let mut sentences = Vec::new();
    let mut groups = told.chunk_by(|a, b| a.thread == b.thread).collect::<Vec<_>>();
    let mut i = 0;
    while i < groups.len() {
        let group = groups[i];
        let Some(last) = group.last() else { break };
        let next = groups[i + 1..].iter().position(|g| g[0].thread == last.thread).map(|n| i + 1 + n);
        let resumes = next.map(|n| groups[n][0]);
        let preempted = preempted(case, last, resumes);
        match (&preempted, resumes) {
            (Some(number), Some(first)) => {
                sentences.push(format!(
                    "{}{}.",
                    begin(&speaker, group),
                    between(&speaker, last, first, *number)
                ));
            }
            (Some(number), None) => {
                let does = together(&speaker, group);
                sentences.push(format!("{} {does} and is preempted ({}).", last.thread, circled(*number)));
            }
            (None, _) => sentences.push(format!("{} {}.", last.thread, together(&speaker, group))),
        }
        // What it was preempted before is told already.
        if let (Some(_), Some(n)) = (&preempted, next) {
            groups[n] = &groups[n][1..];
            if groups[n].is_empty() {
                groups.remove(n);
            }
        }
        i += 1;
    }
    sentences.extend(case.deciding.iter().filter_map(|d| speaker.passes(d)));
    sentences
}

/// What is told, in order, each once; what was not made any more at the end.
fn operations<'a>(case: &Case<'a>) -> Vec<&'a Operation> {
    let orders = case.orders().flat_map(|(a, b)| [a, b]);
    let choices = case.deciding.iter().filter_map(|d| d.choice.as_ref()).map(|c| &c.at);
    let mut all: Vec<&Operation> =
        orders.chain(choices).chain(&case.ends.race).filter(|o| o.event.is_some()).collect();
    all.sort_by_key(|o| o.event);
    all.dedup_by_key(|o| o.event);
    all
}

/// The preemption of a thread between two of its operations; or, where it makes no other, after this one.
fn preempted(case: &Case, last: &Operation, next: Option<&Operation>) -> Option<u32> {
    let thread = number(&last.thread)?;
    let (from, to) = (last.event? + 1, next.and_then(|n| n.event).unwrap_or(case.scene.events.len()));
    let mut between = case.scene.events.get(from..to)?.iter();
    between.find_map(|e| e.preemption.as_ref().filter(|p| p.thread == thread).map(|p| p.number))
}

/// `T1 locks left (:15); it ` for all but the last of a group, else `T1 `.
fn begin(speaker: &Speaker, group: &[&Operation]) -> String {
    let thread = &group[0].thread;
    match &group[..group.len() - 1] {
        [] => format!("{thread} "),
        before => format!("{thread} {}; it ", together(speaker, before)),
    }
}

fn between(speaker: &Speaker, last: &Operation, first: &Operation, number: u32) -> String {
    let (did, does) = (speaker.doing(last), speaker.doing(first));
    format!("is preempted ({}) between {did} and {does}", circled(number))
}

fn together(speaker: &Speaker, group: &[&Operation]) -> String {
    let all: Vec<String> = group.iter().map(|o| speaker.does_with_value(o)).collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
