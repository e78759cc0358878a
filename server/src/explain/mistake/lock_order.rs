//! Threads that hold what the next one of them wants, round in a cycle.

use super::Kind;
use crate::annotate::location;
use crate::explain::case::{Case, Wait, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

/// Locks that are taken in different orders: a deadlock, or a livelock of threads that only try.
pub struct LockOrder;

impl Kind for LockOrder {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let cycle = cycle(case)?;
        let mut objects: Vec<String> = cycle.iter().map(|link| link.holds.object.clone()).collect();
        let told: Vec<String> = cycle
            .iter()
            .map(|link| {
                let (holds, wants) = (speaker.does(&link.holds), speaker.at(&link.wants));
                format!("{} {holds} and then wants {}{wants}", link.holds.thread, link.wants.object)
            })
            .collect();
        objects.sort();
        objects.dedup();
        let text = format!("{}. Every thread must take these locks in the same order.", told.join(", "));
        Some(Mistake { kind: "lock order".into(), text, section: None, objects })
    }
}

/// One thread of a cycle.
struct Link {
    /// Where it took what the one before it wants.
    holds: Operation,
    /// What it wants itself.
    wants: Operation,
}

/// The cycle, from its thread with the lowest number on. One thread that wants what it holds is none.
fn cycle(case: &Case) -> Option<Vec<Link>> {
    let holders = case.holders();
    let end = case.scene.events.len();
    for start in case.ends.waits.iter().filter(|w| is_lock(w.kind)) {
        let mut path: Vec<(&Wait, &String)> = Vec::new();
        let mut at = start;
        loop {
            let next = at.objects.iter().find_map(|object| {
                let holder = holders.get(object)?.iter().find(|h| **h != at.thread)?;
                let wait = case.ends.waits.iter().find(|w| w.thread == *holder && is_lock(w.kind))?;
                Some((object, wait))
            });
            let Some((object, wait)) = next else { break };
            path.push((at, object));
            if wait.thread == start.thread {
                // Everyone holds what the one before wants.
                let before = |i: usize| path[(i + path.len() - 1) % path.len()].1;
                let link = |(i, (wait, wants)): (usize, &(&Wait, &String))| {
                    let held = case.held(wait.thread, end);
                    let (_, taken) = held.iter().find(|(lock, _)| lock == before(i))?;
                    Some(Link { holds: held_since(case, *taken, before(i)), wants: wanted(wait, wants) })
                };
                return path.iter().enumerate().map(link).collect();
            }
            if path.len() > case.ends.waits.len() {
                break;
            }
            at = wait;
        }
    }
    None
}

/// The operation that took a lock, as one on that lock.
fn held_since(case: &Case, event: usize, lock: &str) -> Operation {
    Operation { object: lock.to_string(), ..operation(case.scene, event) }
}

fn wanted(wait: &Wait, object: &str) -> Operation {
    Operation {
        thread: format!("T{}", wait.thread),
        operation: wait.kind.name().to_string(),
        object: object.to_string(),
        location: wait.place.as_ref().map(location),
        ..Operation::default()
    }
}

fn is_lock(kind: OpKind) -> bool {
    // Whoever was woken waits for the lock again.
    matches!(kind, OpKind::Lock | OpKind::TryLock | OpKind::ReadLock | OpKind::WriteLock)
}
