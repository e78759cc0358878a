//! What makes two results the same failure, though lines have moved: kind, test, function, and what decides
//! by operation and object.

use raddle_protocol::explanation::{Deciding, Operation};
use raddle_protocol::report::{Failure, RaceSide, Report, Warning};
use sha2::{Digest, Sha256};

/// Of a failure.
pub fn failure(report: &Report, f: &Failure) -> String {
    let mut parts = vec![report.test.clone(), f.kind.clone(), f.method.clone()];
    match f.explained.as_ref().filter(|e| !e.deciding.is_empty()) {
        Some(e) => parts.extend(e.deciding.iter().flat_map(deciding)),
        None if f.race.is_some() => {
            parts.extend(f.race.iter().flat_map(|r| [&r.first, &r.second]).map(access))
        }
        None => parts.extend(switched(f)),
    }
    hash(&parts)
}

/// Of a warning.
pub fn warning(report: &Report, w: &Warning) -> String {
    hash(&[report.test.clone(), w.kind.clone(), without_places(&w.message)])
}

fn deciding(d: &Deciding) -> Vec<String> {
    let operation =
        |o: &Operation| [&o.role, &o.operation, &o.object, &o.method].map(|t| without_places(t)).join(" ");
    match (&d.order, &d.choice) {
        (Some(order), _) => vec![operation(&order.first), operation(&order.then)],
        (None, Some(choice)) => vec![operation(&choice.at), choice.chosen.clone()],
        (None, None) => Vec::new(),
    }
}

fn access(side: &RaceSide) -> String {
    let function = side.stack.first().map_or("", |f| f.function.as_str());
    [side.operation.as_str(), &side.object, function].map(without_places).join(" ")
}

/// Where nothing decides that is known: what came right after each preemption.
fn switched(f: &Failure) -> Vec<String> {
    let preempting = f.events.iter().filter(|e| e.preemption.is_some());
    preempting.map(|e| [&e.operation, &e.object, &e.method].map(|t| without_places(t)).join(" ")).collect()
}

/// Names may have a line in them, and the number of a thread says nothing: digits after a colon or `#` go,
/// and addresses.
fn without_places(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut skips = false;
    for c in text.chars() {
        skips = skips && c.is_ascii_digit();
        if !skips {
            out.push(c);
        }
        skips |= c == ':' || c == '#';
    }
    out
}

fn hash(parts: &[String]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hasher.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_nothing() {
        assert_eq!(without_places("lock (spawned at :34) #12 of a7"), "lock (spawned at :) # of a7");
    }
}
