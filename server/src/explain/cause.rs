//! Failures of one cause: the same orders and choices decide about them. Threads that run the same function are one
//! role, so that it does not matter which of two equal threads was overtaken; nor how the failure showed.

use raddle_protocol::explanation::{Deciding, Explanation, Operation, Order};
use raddle_protocol::report::Failure;

/// Notes each failure's cause, and the first one that shares it.
pub fn note(failures: &mut [Failure]) {
    let all: Vec<Causes> = failures.iter().map(Causes::of).collect();
    let mut words: Vec<Option<String>> = Vec::new();
    for (i, failure) in failures.iter_mut().enumerate() {
        let same = all[..i].iter().position(|earlier| earlier.meets(&all[i]));
        // The word of the first one holds for all that share its cause, also by way of another.
        let word = same.map_or_else(|| all[i].word(), |first| words[first].clone());
        let first = words.iter().position(|w| w.is_some() && *w == word);
        words.push(word.clone());
        let Some(explained) = failure.explained.as_mut().filter(|_| word.is_some()) else { continue };
        (explained.cause, explained.same_cause_as) = (word, first);
    }
}

/// Is something known to decide, and nothing of it known to decide about one of these as well?
pub fn is_another<'a>(why: &Explanation, mut told: impl Iterator<Item = &'a Explanation>) -> bool {
    let words = |e: &Explanation| e.deciding.iter().filter_map(decides).collect::<Vec<_>>();
    let own = words(why);
    !own.is_empty() && told.all(|e| !words(e).iter().any(|word| own.contains(word)))
}

/// What a failure is caused by, in words that are the same for all of one cause.
#[derive(Default)]
struct Causes {
    /// Of a race, its two accesses in whatever order and of whatever kind: the other way round it is the same one.
    race: Option<String>,
    /// All that decides, where that is known: what else comes of it is no other cause.
    decides: Option<String>,
    /// The program itself says what goes wrong, which tells more than a race that it comes of: both are shown.
    judged: bool,
}

impl Causes {
    fn of(failure: &Failure) -> Causes {
        let judged = !matches!(failure.kind.as_str(), "data-race" | "crash");
        Causes { judged, ..failure.explained.as_ref().map(causes).unwrap_or_default() }
    }

    fn meets(&self, other: &Causes) -> bool {
        let same = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
        let apart = self.race.is_some() && other.judged || self.judged && other.race.is_some();
        same(&self.race, &other.race) || !apart && same(&self.decides, &other.decides)
    }

    fn word(&self) -> Option<String> {
        let text = self.race.as_ref().or(self.decides.as_ref())?;
        Some(format!("{:08x}", fnv1a(text)))
    }
}

fn causes(explained: &Explanation) -> Causes {
    let text = |mut parts: Vec<String>| {
        parts.sort();
        parts.dedup();
        (!parts.is_empty()).then(|| parts.join("\n"))
    };
    let decides = explained.deciding.iter().filter(|_| explained.enough).filter_map(decides);
    Causes {
        race: text(explained.unordered.iter().map(unordered).collect()),
        decides: text(decides.collect()),
        judged: false,
    }
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

    /// The cause that one failure has alone.
    fn cause(explained: &Explanation) -> Option<String> {
        causes(explained).word()
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
    fn what_the_same_orders_decide_has_one_cause() {
        let decided = || explained(vec![order(op("T1", "store", 7), op("T2", "load", 8))]);
        let race = |line, explained| {
            let unordered = vec![order(op("T1", "write", line), op("T2", "read", line + 1))];
            Explanation { unordered, ..explained }
        };
        let other = explained(vec![order(op("T1", "store", 9), op("T2", "load", 8))]);
        let all = [
            race(20, decided()),
            other,
            race(30, decided()),
            decided(),
            // The first race again, which something else decides about as well; and one of which that is not known.
            race(20, explained(vec![order(op("T1", "store", 40), op("T2", "load", 41))])),
            race(50, Explanation { enough: false, ..decided() }),
        ];
        let report = serde_json::json!({
            "kind": "crash", "message": "", "location": null, "preemptions": 0, "switches": 0,
            "schedule": "", "events": [], "found_after": 0, "explanation": []
        });
        let failure = |explained| Failure {
            explained: Some(explained),
            ..serde_json::from_value(report.clone()).expect("a failure")
        };
        let mut failures = all.map(&failure);
        note(&mut failures);
        let told =
            failures.each_ref().map(|f| f.explained.as_ref().map(|e| (e.same_cause_as, e.cause.clone())));
        let told = told.map(|told| told.expect("an explanation"));
        assert_eq!(told.each_ref().map(|t| t.0), [None, None, Some(0), Some(0), Some(0), None]);
        // What an assertion says is shown beside a race that it comes of.
        let (mut race, mut assertion) = (failure(race(20, decided())), failure(decided()));
        (race.kind, assertion.kind) = ("data-race".into(), "assertion".into());
        let mut beside = [race, assertion];
        note(&mut beside);
        assert_eq!(beside[1].explained.as_ref().and_then(|e| e.same_cause_as), None);
        assert!(told[2].1 == told[0].1 && told[3].1 == told[0].1 && told[1].1 != told[0].1, "{told:?}");
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
