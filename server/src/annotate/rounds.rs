//! The loops of an execution that was cut off, in words.

use super::annotated_trace::Places;
use super::names::{Names, name_of};
use super::words;
use raddle_engine::{Operation, Round};

/// Which threads went round, in which function, and what they did there: `T1 loops in poll
/// (poll.c:7): loads ready, yields`. Empty where no loop is known.
pub fn told(rounds: &[Round], places: &Places, names: &mut Names) -> String {
    let loops: Vec<String> =
        rounds.chunk_by(|a, b| a.thread == b.thread).map(|one| of_thread(one, places, names)).collect();
    loops.join("; ")
}

fn of_thread(rounds: &[Round], places: &Places, names: &mut Names) -> String {
    let first = &rounds[0];
    let method = rounds.iter().map(|r| places.method(r.method)).find(|m| !m.is_empty());
    let place = rounds.iter().find_map(|r| places.site(r.site));
    let within = match (method, place) {
        (Some(method), Some(p)) => format!(" in {method} ({}:{})", p.file, p.line),
        (Some(method), None) => format!(" in {method}"),
        (None, Some(p)) => format!(" at {}:{}", p.file, p.line),
        (None, None) => String::new(),
    };
    let does: Vec<String> = rounds.iter().map(|r| operation(r, places, names)).collect();
    format!("T{} loops{within}: {}", first.thread, does.join(", "))
}

fn operation(r: &Round, places: &Places, names: &mut Names) -> String {
    let operation = Operation { kind: r.kind, object: r.object, site: r.site, method: r.method };
    let object = name_of(&operation, places).unwrap_or_else(|| names.object(r.kind, r.object));
    words::pending(r.kind, &object)
}
