//! Which operations a preemption decides about: the few that are outlined, so that the eye finds
//! them among hundreds.
//!
//! The preempted thread touched an object, somebody else touched it in between, and the thread comes
//! back to it. Where no order without the switch gives the same values, those three are the reason
//! (the unserialisable triples of AVIO, Lu et al., ASPLOS 2006). An execution without such a triple
//! shows what both sides of a switch touch, data before locks; one without preemptions, everything
//! that is shared.

use crate::layout::{Lanes, Switch};
use raddle_protocol::interleaving::{Interleaving, Step};
use std::collections::BTreeMap;

/// By event: is its order what matters?
pub fn deciding(i: &Interleaving, lanes: &Lanes) -> Vec<bool> {
    if lanes.switches.is_empty() {
        return i.events.iter().map(|e| e.matters && concerns_an_object(e)).collect();
    }
    let mut marked = vec![false; i.events.len()];
    for is_so in [is_torn, changes_data, touches] {
        for switch in &lanes.switches {
            mark(&mut marked, &Sides::of(i, lanes, switch), is_so);
        }
        if marked.contains(&true) {
            break;
        }
    }
    marked
}

/// Is it this that decides: an operation of the preempted thread, another's, and one after it came
/// back? One of its own two may be missing.
type IsSo = fn(Option<&Step>, &Step, Option<&Step>) -> bool;

/// Marks what is so about a preemption.
fn mark(marked: &mut [bool], sides: &Sides<'_>, is_so: IsSo) {
    for other in &sides.between {
        let object = other.object.as_str();
        let (first, last) = (sides.before.get(object), sides.after.get(object));
        if is_so(first.copied(), other, last.copied()) {
            let events = [first.map(|s| s.event), Some(other.event), last.map(|s| s.event)];
            for event in events.into_iter().flatten() {
                if let Some(mark) = marked.get_mut(event as usize) {
                    *mark = true;
                }
            }
        }
    }
}

/// The two sides of a preemption. Of the preempted thread's operations, those nearest to the switch
/// count, by object.
struct Sides<'a> {
    /// Its last ones, in its run before the switch.
    before: BTreeMap<&'a str, &'a Step>,
    /// Everybody else's operations until it comes back.
    between: Vec<&'a Step>,
    /// Its first ones from then on.
    after: BTreeMap<&'a str, &'a Step>,
}

/// Operations after a thread came back that are looked at.
const FAR: usize = 500;

impl<'a> Sides<'a> {
    fn of(i: &'a Interleaving, lanes: &Lanes, switch: &Switch) -> Sides<'a> {
        let own = lanes.by_lane.get(switch.from).map(Vec::as_slice).unwrap_or_default();
        let (before, after) = own.split_at(own.partition_point(|&e| e < switch.row));
        let back = after.first().copied().unwrap_or(lanes.operations);
        let run = lanes.blocks.partition_point(|b| b.rows.end < switch.row);
        let begun = lanes.blocks.get(run).map_or(switch.row, |b| b.rows.start);
        let shared = |event: u32| i.events.get(event as usize).filter(|e| e.matters && concerns_an_object(e));
        let named = |step: &'a Step| (step.object.as_str(), step);
        let before = before.iter().skip_while(|&&e| e < begun);
        Sides {
            // What is put in last stays, hence the later half is read backwards.
            before: before.filter_map(|&e| shared(e)).map(named).collect(),
            between: (switch.row..back).filter_map(shared).collect(),
            after: after.iter().take(FAR).rev().filter_map(|&e| shared(e)).map(named).collect(),
        }
    }
}

/// What an operation does to data; locks do neither.
#[derive(Clone, Copy, Default)]
struct Access {
    looks: bool,
    changes: bool,
}

fn access(step: &Step) -> Access {
    match step.operation.as_str() {
        "read" | "load" => Access { looks: true, changes: false },
        "write" | "store" | "free" => Access { looks: false, changes: true },
        "rmw" => Access { looks: true, changes: !step.failed },
        _ => Access::default(),
    }
}

/// Accesses of one thread, another's in between: could they not have been next to each other?
fn is_torn(first: Option<&Step>, other: &Step, last: Option<&Step>) -> bool {
    let (Some(first), Some(last)) = (first, last) else { return false };
    let (first, other, last) = (access(first), access(other), access(last));
    let lost =
        other.changes && ((first.looks && last.changes) || (last.looks && (first.looks || first.changes)));
    let halfway = other.looks && first.changes && last.changes;
    lost || halfway
}

/// Data that both sides touch and one of them changes.
fn changes_data(first: Option<&Step>, other: &Step, last: Option<&Step>) -> bool {
    let own = [first, last].map(|s| s.map(access).unwrap_or_default());
    let (any, other) = (own.iter().any(|a| a.looks || a.changes), access(other));
    (any && other.changes) || (other.looks && own.iter().any(|a| a.changes))
}

/// Any object that both sides touch.
fn touches(first: Option<&Step>, _: &Step, last: Option<&Step>) -> bool {
    first.is_some() || last.is_some()
}

/// Reading, writing or locking something, rather than the life of threads.
fn concerns_an_object(event: &Step) -> bool {
    !event.object.is_empty() && !matches!(event.operation.as_str(), "start" | "spawn" | "join" | "exit")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::tests::execution;

    /// The outlined ones of an execution in words.
    fn outlined(lines: &[&str]) -> Vec<usize> {
        let i = execution(lines);
        let marked = deciding(&i, &Lanes::of(&i));
        (0..marked.len()).filter(|&event| marked[event]).collect()
    }

    #[test]
    fn a_lost_update_is_three_operations() {
        // The other's load is as good before as after.
        assert_eq!(
            outlined(&["T0 load c", "T1 ! load c", "T1 store c", "T0 store c", "T0 load c"]),
            [0, 2, 3]
        );
    }

    #[test]
    fn what_is_seen_halfway_and_what_is_not_the_same_twice() {
        assert_eq!(outlined(&["T0 store c", "T1 ! load c", "T0 store c"]), [0, 1, 2]);
        assert_eq!(outlined(&["T0 load c", "T1 ! store c", "T0 load c"]), [0, 1, 2]);
        assert_eq!(outlined(&["T0 store c", "T1 ! rmw c", "T0 load c"]), [0, 1, 2]);
    }

    #[test]
    fn locks_and_other_data_stay_quiet_beside_it() {
        let around = ["T0 lock l", "T0 write x", "T0 read c", "T0 unlock l", "T1 ! lock l", "T1 read x"];
        let lines = [&around[..], &["T1 write c", "T1 unlock l", "T0 lock l", "T0 write c"]].concat();
        assert_eq!(outlined(&lines), [2, 6, 9]);
    }

    #[test]
    fn without_a_triple_data_that_both_sides_touch() {
        assert_eq!(outlined(&["T0 lock l", "T0 write x", "T1 ! lock l", "T1 read x", "T0 exit"]), [1, 3]);
        assert_eq!(outlined(&["T0 read x", "T1 ! read x", "T0 read x"]), [0, 1, 2], "not even that");
    }

    #[test]
    fn where_only_locks_are_known_they_count() {
        assert_eq!(outlined(&["T0 unlock l", "T1 ! lock l", "T1 unlock l", "T0 lock l"]), [0, 1, 2, 3]);
    }

    #[test]
    fn where_nothing_is_preempted_shared_objects_count() {
        assert_eq!(outlined(&["T0 spawn T1", "T0 lock a", "T1 start T1", "T1 lock b"]), [1, 3]);
    }
}
