//! What a result says, and the places that it links to.

use super::places::Places;
use crate::terminal::clean::visible;
use crate::terminal::text::circled;
use raddle_protocol::explanation::Operation;
use raddle_protocol::report::{Failure, Location, RaceSide, Report};
use serde_json::{Value, json};

/// Locations of a result that are shown.
const RELATED: usize = 90;

/// A place that the message links to.
pub struct Related {
    id: usize,
    text: String,
    location: Location,
    method: String,
}

impl Related {
    /// As a result has it.
    pub fn told(&self, places: &mut Places) -> Value {
        let mut location = places.location(&self.location, &self.method);
        location["id"] = json!(self.id);
        location["message"] = json!({ "text": plain(&self.text) });
        location
    }
}

/// What decides and the preemptions, in the order of the execution.
pub fn related(f: &Failure) -> Vec<Related> {
    let mut all: Vec<(usize, String, &Location, &str)> = Vec::new();
    for o in operations(f) {
        let at = o.event.unwrap_or(f.events.len());
        all.extend(o.location.as_ref().map(|l| (2 * at + 1, said(f, o), l, o.method.as_str())));
    }
    for side in f.race.iter().flat_map(|r| [&r.first, &r.second]) {
        let at = side.event.unwrap_or(f.events.len());
        let method = side.stack.first().map_or("", |frame| frame.function.as_str());
        all.extend(side.location.as_ref().map(|l| (2 * at + 1, access(side), l, method)));
    }
    for (at, e) in f.events.iter().enumerate() {
        let (Some(number), Some(thread)) = (e.preemption, preempted(f, at)) else { continue };
        // The one that was switched away from goes on here.
        let goes_on = f.events[at..].iter().find(|e| e.thread == thread && e.step.is_some());
        let (place, method) = match goes_on {
            Some(e) => (e.location.as_ref(), e.method.as_str()),
            None => (pending_place(f, thread), ""),
        };
        let text = format!("{} {thread} is preempted before this", circled(number));
        all.extend(place.map(|l| (2 * at, text, l, method)));
    }
    all.sort_by_key(|(at, ..)| *at);
    all.dedup();
    let numbered = all.into_iter().take(RELATED).enumerate();
    let one = |(at, (_, text, location, method)): (usize, (usize, String, &Location, &str))| Related {
        id: at + 1,
        text,
        location: location.clone(),
        method: method.to_string(),
    };
    numbered.map(one).collect()
}

/// `T1: read of total, holding no lock`.
pub fn access(side: &RaceSide) -> String {
    let locks = match side.locks.as_deref() {
        Some([]) => ", holding no lock".to_string(),
        Some(locks) => format!(", holding {}", locks.join(", ")),
        None => String::new(),
    };
    format!("{}: {} of {}{locks}", side.thread, side.operation, side.object)
}

/// The operations that decide.
pub fn operations(f: &Failure) -> impl Iterator<Item = &Operation> {
    let deciding = f.explained.iter().flat_map(|e| &e.deciding);
    deciding.flat_map(|d| {
        let order = d.order.iter().flat_map(|o| [&o.first, &o.then]);
        order.chain(d.choice.iter().map(|c| &c.at))
    })
}

/// The thread that was switched away from before an event.
pub fn preempted(f: &Failure, at: usize) -> Option<&str> {
    f.events[..at].iter().rev().find(|e| e.step.is_some()).map(|e| e.thread.as_str())
}

fn pending_place<'a>(f: &'a Failure, thread: &str) -> Option<&'a Location> {
    let of_it = f.threads.iter().find(|t| t.thread == thread)?;
    of_it.pending.as_ref()?.location.as_ref()
}

/// An operation in words.
pub fn said(f: &Failure, o: &Operation) -> String {
    let event = o.event.and_then(|at| f.events.get(at));
    let done = event.map(|e| e.text.clone()).filter(|t| !t.is_empty());
    match done {
        Some(text) => format!("{} {text}", o.thread),
        None if o.event.is_none() => format!("{} never came to: {} {}", o.thread, o.operation, o.object),
        None => format!("{} {} {}", o.thread, o.operation, o.object),
    }
}

/// The message of a failure: what it says, what is wrong, what decides, with links, and how to see it again.
pub fn of(report: &Report, f: &Failure, related: &[Related]) -> Value {
    let mut text = plain(&format!("{}: {}", report.test, f.message));
    if let Some(mistake) = f.explained.as_ref().and_then(|e| e.mistake.as_ref()) {
        text += &format!("\n\n{}", plain(&mistake.sentence()));
    }
    if !related.is_empty() {
        let links = related.iter().map(|r| format!("[{}]({})", link(&r.text), r.id));
        text += &format!("\n\nIn this order: {}.", links.collect::<Vec<_>>().join("; "));
    }
    text += &format!("\n\nReplay: {}", plain(&f.replay));
    json!({ "text": text })
}

/// Text that has neither a link nor a placeholder in it, whatever it says.
pub fn plain(text: &str) -> String {
    let text = visible(text).replace('\\', "\\\\").replace("](", "\\](");
    placeholders(&text)
}

/// The text of a link.
fn link(text: &str) -> String {
    placeholders(&visible(text).replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]"))
}

/// `{0}` would be replaced; `{{0}}` is shown as `{0}`.
fn placeholders(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let digits = rest[open + 1..].chars().take_while(char::is_ascii_digit).count();
        let end = open + 1 + digits;
        if digits > 0 && rest[end..].starts_with('}') {
            out += &format!("{}{{{{{}}}}}", &rest[..open], &rest[open + 1..end]);
            rest = &rest[end + 1..];
        } else {
            out += &rest[..=open];
            rest = &rest[open + 1..];
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_says_is_no_link_and_no_placeholder() {
        assert_eq!(plain("a[0] is [x](1) {0} {} {a} {12"), "a[0] is [x\\](1) {{0}} {} {a} {12");
        assert_eq!(link("writes a[0]"), "writes a\\[0\\]");
        assert_eq!(plain("C:\\n"), "C:\\\\n");
    }
}
