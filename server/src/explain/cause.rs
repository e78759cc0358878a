//! Failures of one cause: the same orders and choices decide about them. Threads that run the same function are one
//! role, so that it does not matter which of two equal threads was overtaken; nor how the failure showed.

use raddle_protocol::explanation::{Deciding, Explanation, Operation, Order};
use raddle_protocol::report::Failure;

/// Notes each failure's cause, and the first one that shares it.
pub fn note(failures: &mut [Failure]) {
    let causes: Vec<Option<String>> = failures.iter().map(|f| f.explained.as_ref().and_then(cause)).collect();
    for (i, failure) in failures.iter_mut().enumerate() {
        let (Some(explained), Some(cause)) = (&mut failure.explained, &causes[i]) else { continue };
        explained.cause = Some(cause.clone());
        explained.same_cause_as = causes[..i].iter().position(|c| c.as_ref() == Some(cause));
    }
}

/// Of a race, its two accesses in whatever order and of whatever kind: what decides about it is only how its
/// threads came there. Otherwise all that decides.
fn cause(explained: &Explanation) -> Option<String> {
    let mut parts: Vec<String> = explained.unordered.iter().map(unordered).collect();
    if parts.is_empty() {
        if !explained.enough || explained.deciding.is_empty() {
            return None;
        }
        parts = explained.deciding.iter().filter_map(decides).collect();
    }
    parts.sort();
    parts.dedup();
    Some(format!("{:08x}", fnv1a(&parts.join("\n"))))
}

/// The same for ever, so that scripts may keep it.
fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn unordered(race: &Order) -> String {
    let mut sides = [&race.first, &race.then].map(|o| format!("{} at {}", place(o), o.object));
    sides.sort();
    format!("race {}", sides.join(" "))
}

fn decides(d: &Deciding) -> Option<String> {
    if let Some(order) = &d.order {
        return Some(format!("{} < {}", operation(&order.first), operation(&order.then)));
    }
    let choice = d.choice.as_ref()?;
    // Which thread is woken, and which input it is, is no other cause.
    Some(format!("{} chooses {}", operation(&choice.at), choice.chosen.chars().next()?))
}

fn operation(o: &Operation) -> String {
    format!("{} {} {} at {}", o.role, o.operation, o.object, place(o))
}

fn place(o: &Operation) -> String {
    let line = o.location.as_ref().map(|l| format!("{}:{}", l.file, l.line)).unwrap_or_default();
    format!("{} in {}", line, o.method)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_protocol::report::Location;

    fn op(thread: &str, operation: &str, line: u32) -> Operation {
        let location = Some(Location { file: "a.c".into(), line, column: 1 });
        Operation {
            thread: thread.into(),
            role: "increment".into(),
            operation: operation.into(),
            object: "counter".into(),
            location,
            ..Operation::default()
        }
    }

    fn order(first: Operation, then: Operation) -> Order {
        Order { first, then }
    }

    fn explained(orders: Vec<Order>) -> Explanation {
        let decides = |order| Deciding { order: Some(order), ..Deciding::default() };
        Explanation {
            deciding: orders.into_iter().map(decides).collect(),
            enough: true,
            ..Explanation::default()
        }
    }

    #[test]
    fn threads_of_one_role_are_exchanged() {
        let of = |a: &str, b: &str| {
            let first = order(op(a, "load", 16), op(b, "store", 17));
            explained(vec![first, order(op(b, "load", 16), op(a, "store", 17))])
        };
        assert_eq!(cause(&of("T1", "T2")), cause(&of("T2", "T1")));
        assert_eq!(cause(&of("T1", "T2")).map(|c| c.len()), Some(8));
        let other = explained(vec![order(op("T1", "load", 16), op("T2", "store", 18))]);
        assert_ne!(cause(&of("T1", "T2")), cause(&other));
        // What is not certain is no cause.
        assert_eq!(cause(&Explanation { enough: false, ..other }), None);
    }

    #[test]
    fn a_race_is_its_two_places() {
        let race = |a, b| Explanation { unordered: vec![order(a, b)], ..Explanation::default() };
        let (reads, writes) = (
            race(op("T1", "read", 9), op("T2", "write", 9)),
            race(op("T2", "write", 9), op("T1", "write", 9)),
        );
        assert!(cause(&reads).is_some() && cause(&reads) == cause(&writes));
        assert_ne!(cause(&reads), cause(&race(op("T1", "read", 8), op("T2", "write", 9))));
    }
}
