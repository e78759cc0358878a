//! Where every thread stands at one instant of an execution, and who may be chosen there. The
//! instant is the moment before an event: its thread is about to carry it out.

use crate::layout::Lanes;
use raddle_protocol::interleaving::{Interleaving, Step};
use raddle_protocol::report::Location;

/// What a thread does at the instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It does not exist yet.
    Unborn,
    /// It runs here.
    Runs,
    /// It could run.
    Ready,
    /// It cannot run.
    Waits,
    /// It has ended.
    Ended,
}

/// A thread at the instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its number.
    pub thread: u32,
    /// What it does.
    pub doing: Doing,
    /// The same in words.
    pub text: String,
    /// Where it is.
    pub location: Option<Location>,
}

/// A schedule point and who could run there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its event.
    pub event: u32,
    /// Its step, as in schedules.
    pub step: u32,
    /// Who ran.
    pub thread: u32,
    /// Who could have run.
    pub enabled: Vec<u32>,
}

/// Every thread at the instant of an event.
pub fn standing(i: &Interleaving, lanes: &Lanes, event: u32) -> Vec<Standing> {
    let step = i.events.get(event as usize);
    let waiting = latest_step(i, event).map(|s| s.waiting.as_slice()).unwrap_or_default();
    let of = |(lane, thread): (usize, &u32)| {
        let next = lanes.next_of(lane, event).and_then(|e| i.events.get(e as usize));
        let begun = lanes.by_lane[lane].first().is_some_and(|&first| first < event);
        let spawned = begun || *thread == 0 || spawned_before(i, *thread, event);
        let runs = step.is_some_and(|s| s.thread == *thread);
        match next {
            _ if !spawned && !runs => plain(*thread, Doing::Unborn, "not yet spawned"),
            Some(next) => {
                let doing = match () {
                    () if runs => Doing::Runs,
                    () if waiting.contains(thread) => Doing::Waits,
                    () => Doing::Ready,
                };
                let text = in_words(doing, next);
                Standing { thread: *thread, doing, text, location: place(i, lanes, lane, next.event) }
            }
            None => at_the_end(i, *thread, step.is_some(), waiting.contains(thread)),
        }
    };
    lanes.threads.iter().enumerate().map(of).collect()
}

/// The schedule point at which the instant can be changed: that of the event, or the next one.
pub fn point(i: &Interleaving, event: u32) -> Option<Point> {
    let steps = i.events.get(event as usize..)?;
    steps.iter().find_map(as_point)
}

/// The schedule point before the instant: what is above it is what a search below it keeps.
pub fn point_before(i: &Interleaving, event: u32) -> Option<Point> {
    let before = i.events.get(..event as usize)?;
    before.iter().rev().find_map(as_point)
}

fn as_point(s: &Step) -> Option<Point> {
    let step = s.step?;
    Some(Point { event: s.event, step, thread: s.thread, enabled: s.enabled.clone() })
}

/// The step whose lists of threads hold at this event.
fn latest_step(i: &Interleaving, event: u32) -> Option<&Step> {
    let upto = i.events.get(..=event as usize).unwrap_or(&i.events);
    upto.iter().rev().find(|s| s.step.is_some())
}

fn spawned_before(i: &Interleaving, thread: u32, event: u32) -> bool {
    let steps = i.events.get(..event as usize).unwrap_or(&i.events);
    let name = format!("T{thread}");
    steps.iter().any(|s| s.operation == "spawn" && s.object == name)
}

fn plain(thread: u32, doing: Doing, text: &str) -> Standing {
    Standing { thread, doing, text: text.to_string(), location: None }
}

/// A thread that does nothing more: it has ended, or it could not go on. `goes_on`: others do.
fn at_the_end(i: &Interleaving, thread: u32, goes_on: bool, waits: bool) -> Standing {
    let Some(p) = i.pending.iter().find(|p| p.thread == thread) else {
        return plain(thread, Doing::Ended, "has ended");
    };
    let (doing, word) = match (goes_on, waits) {
        (false, _) => (Doing::Waits, "stuck"),
        (true, true) => (Doing::Waits, "waits"),
        (true, false) => (Doing::Ready, "next"),
    };
    Standing { thread, doing, text: format!("{word}: {}", p.text), location: p.location.clone() }
}

/// Where a thread is before an operation. Its start and its end have no place in a source: the
/// next operation's stands for the start, the last one's for the end.
fn place(i: &Interleaving, lanes: &Lanes, lane: usize, event: u32) -> Option<Location> {
    let own = &lanes.by_lane[lane];
    let at = own.partition_point(|&e| e < event);
    let location = |&e: &u32| i.events.get(e as usize)?.location.clone();
    own[at..].iter().find_map(location).or_else(|| own[..at].iter().rev().find_map(location))
}

fn in_words(doing: Doing, next: &Step) -> String {
    match doing {
        Doing::Runs => next.text.clone(),
        Doing::Waits => format!("waits to {}", deed(next)),
        _ => format!("about to {}", deed(next)),
    }
}

/// `lock accounts[0]`: what it is about to do, without what will come of it.
fn deed(step: &Step) -> String {
    match (step.operation.as_str(), step.object.as_str()) {
        ("start" | "exit", _) | (_, "") => step.operation.clone(),
        (operation, object) => format!("{operation} {object}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(event: u32) -> Vec<(u32, Doing, String, Option<u32>)> {
        let i: Interleaving = serde_json::from_str(include_str!("../tests/data/interleaving.json")).unwrap();
        let standing = standing(&i, &Lanes::of(&i), event);
        standing.into_iter().map(|s| (s.thread, s.doing, s.text, s.location.map(|l| l.line))).collect()
    }

    #[test]
    fn every_thread_stands_somewhere() {
        let told = |t, doing, text: &str, line| (t, doing, text.to_string(), line);
        let spawning = told(0, Doing::Runs, "spawns T2", Some(25));
        let ready = told(1, Doing::Ready, "about to start", Some(16));
        let unborn = told(2, Doing::Unborn, "not yet spawned", None);
        assert_eq!(at(1), [spawning, ready, unborn]);
        // Right after the preemption: the place of a start is that of its first operation.
        let waits = told(0, Doing::Waits, "waits to join T1", Some(26));
        let starts = told(1, Doing::Runs, "starts", Some(16));
        let stopped = told(2, Doing::Ready, "about to store counter", Some(17));
        assert_eq!(at(5), [waits, starts, stopped]);
        let ended = |t| told(t, Doing::Ended, "has ended", None);
        assert_eq!(at(14), [told(0, Doing::Runs, "loads counter = 1", Some(28)), ended(1), ended(2)]);
        assert_eq!(at(15), [ended(0), ended(1), ended(2)]);
    }

    #[test]
    fn what_never_happened_is_told_from_what_is_pending() {
        let mut i: Interleaving =
            serde_json::from_str(include_str!("../tests/data/interleaving.json")).unwrap();
        i.events.truncate(6);
        let pending = |thread, text: &str| raddle_protocol::interleaving::Pending {
            thread,
            text: text.to_string(),
            location: None,
        };
        i.pending = vec![pending(0, "joins T1"), pending(2, "stores counter")];
        let told = |event| {
            let standing = standing(&i, &Lanes::of(&i), event);
            standing.into_iter().map(|s| s.text).collect::<Vec<_>>()
        };
        assert_eq!(told(5), ["waits: joins T1", "starts", "next: stores counter"]);
        assert_eq!(told(6), ["stuck: joins T1", "has ended", "stuck: stores counter"]);
    }

    #[test]
    fn choices_are_made_at_steps() {
        let i: Interleaving = serde_json::from_str(include_str!("../tests/data/interleaving.json")).unwrap();
        // Event 2 is no step: the choice is the next one's, and the one above it is step 1.
        assert_eq!(point(&i, 2).map(|p| (p.event, p.step, p.thread, p.enabled)), Some((3, 2, 2, vec![1, 2])));
        assert_eq!(point_before(&i, 2).map(|p| p.step), Some(1));
        assert_eq!((point(&i, 15), point_before(&i, 0)), (None, None));
    }
}
