//! Panics of threads other than main: where one happened that nobody looked at, which only the output says, and
//! whose panic main passed on.

use super::annotated_trace::{After, AnnotatedOp, AnnotatedTrace};
use super::operands;
use super::places::Places;
use raddle_engine::Blocked;
use raddle_protocol::explanation::Value;
use raddle_schedule::memory::{Meaning, Panicked};
use raddle_schedule::{OpKind, Outcome, Trace};

/// How panics show that only say that a lock, or what runs once, was poisoned: with what that is, and how it came to be.
const POISONED: [(&str, &str, Meaning); 2] = [
    ("PoisonError", "lock", Meaning::PoisonsLock),
    ("has previously been poisoned", "initialiser", Meaning::Poisons),
];
/// How those do that pass on the panic of a thread which was joined.
const PASS_ON: [&str; 2] = ["Any { .. }", "a scoped thread panicked"];
/// Longest text of a panic in a row.
const LONGEST: usize = 60;

/// The thread whose panic ended the test by way of main, which joined it or ended its scope.
pub fn passed_on(trace: &Trace) -> Option<u8> {
    (trace.outcome == Outcome::Panic && trace.thread != 0).then_some(trace.thread)
}

/// Puts each thread's panic where it happened: before it gave back its locks and ended.
pub fn mark(scene: &mut AnnotatedTrace, trace: &Trace, places: &Places) {
    if !trace.memory.panics.is_empty() {
        return mark_recorded(scene, trace, places);
    }
    let nobody_looked =
        trace.thread_panics.iter().filter(|panic| panic.thread != 0 && !panic.is_joined).map(|panic| {
            let said = place(&String::from_utf8_lossy(&trace.output), &panic.message);
            (panic.thread, said.and_then(|(file, line, column)| places.written(&file, line, column)))
        });
    let passed_on = passed_on(trace).map(|thread| (thread, places.site(trace.site)));
    for (thread, place) in nobody_looked.chain(passed_on) {
        let mut of_it = scene.events.iter_mut().rev().filter(|e| e.thread == thread);
        // Behind it locks are given back, and the thread says that it is through.
        let ends = |e: &AnnotatedOp| {
            let is_through = e.kind == OpKind::AtomicStore && e.object.starts_with("the end of ");
            is_through || matches!(e.told.meaning, Some(Meaning::PoisonsLock | Meaning::KeepsPoison))
        };
        let before = of_it.find(|e| {
            !matches!(e.kind, OpKind::Exit | OpKind::Unlock | OpKind::ReadUnlock | OpKind::WriteUnlock)
                && !ends(e)
        });
        if let Some(before) = before {
            before.after = Some(After { what: "panics".into(), place });
        }
    }
}

/// Puts each panic behind the operation of its thread that came before it, but for the one that ends the story.
fn mark_recorded(scene: &mut AnnotatedTrace, trace: &Trace, places: &Places) {
    let told = told_at_the_end(trace);
    for (i, panicked) in trace.memory.panics.iter().enumerate() {
        let own = |e: &&mut AnnotatedOp| e.thread == panicked.thread && e.index < panicked.event as usize;
        let before = scene
            .events
            .iter_mut()
            .rev()
            .find(own)
            .filter(|_| told != Some(i) && !is_passed_on(panicked, trace));
        let Some(before) = before else { continue };
        let what = words(panicked, trace);
        before.after = Some(After { what, place: places.site(panicked.site) });
    }
}

/// Which of the recorded panics is the one that the end of the story tells: the last of the thread that the execution ended by.
pub fn told_at_the_end(trace: &Trace) -> Option<usize> {
    let ends = trace.outcome == Outcome::Panic && trace.thread == 0;
    let last = |p: &Panicked| p.thread == 0 && p.message == trace.message;
    ends.then(|| trace.memory.panics.iter().rposition(last)).flatten()
}

/// Does it only pass on the panic of a thread that was joined, which the end of the story tells?
pub fn is_passed_on(panicked: &Panicked, trace: &Trace) -> bool {
    let says = |what: &str| panicked.message.contains(what);
    passed_on(trace).is_some_and(|by| by != panicked.thread) && PASS_ON.iter().any(|what| says(what))
}

/// `panics`, with what it says unless the headline does.
pub fn words(panicked: &Panicked, trace: &Trace) -> String {
    let first = panicked.message.lines().next().unwrap_or_default();
    let is_told = panicked.message == trace.message && panicked.thread == trace.thread;
    match first.is_empty() || is_told || PASS_ON.iter().any(|what| first.contains(what)) {
        true => "panics".to_string(),
        false => format!("panics: {}", shortened(first)),
    }
}

/// The panic that poisoned a lock, where the one that ended the execution only says that it found one poisoned.
pub fn cause(trace: &Trace) -> Option<&Panicked> {
    let follows = |message: &str| poisoned(message).is_some();
    let (_, _, how) = poisoned(&trace.message).filter(|_| trace.outcome == Outcome::Panic)?;
    let poisons = |thread: u8| {
        let by = |(event, meaning): &(u32, Meaning)| {
            *meaning == how && trace.events.get(*event as usize).is_some_and(|e| e.thread() == thread)
        };
        trace.memory.meanings.iter().any(by)
    };
    trace.memory.panics.iter().find(|p| !follows(&p.message) && poisons(p.thread))
}

/// The panic that ended a thread of a deadlock in which nobody holds what another one wants, or is about to: who is left waits for
/// what that thread would have done. The first one, if there are several.
pub fn left_waiting<'a>(trace: &'a Trace, blocked: &[Blocked]) -> Option<&'a Panicked> {
    let ended =
        |p: &Panicked| trace.thread_panics.iter().any(|of| of.thread == p.thread && of.message == p.message);
    // Who still waits for its own threads behind the panic has only given back since then; who caught it goes on.
    let unwinds = |p: &Panicked| {
        let behind = trace.events.iter().skip(p.event as usize).filter(|e| e.thread() == p.thread);
        blocked.iter().any(|b| b.thread == p.thread) && behind.into_iter().all(|e| gives_back(e.kind()))
    };
    let first = |p: &&Panicked| poisoned(&p.message).is_none() && (ended(p) || unwinds(p));
    trace.memory.panics.iter().find(first)
}

/// Does a thread that unwinds do this for what it had?
fn gives_back(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, Unlock | ReadUnlock | WriteUnlock | AtomicLoad | AtomicRmw | AtomicStore | Free)
        || matches!(kind, Read | Write)
        || kind.is_annotation()
}

fn poisoned(message: &str) -> Option<(&'static str, &'static str, Meaning)> {
    POISONED.into_iter().find(|(says, ..)| message.contains(says))
}

/// What is said of a failure with this message that another panic has led to.
pub fn because(cause: &Panicked, thread: u8, message: &str) -> String {
    let what = poisoned(message).map_or("lock", |(_, what, _)| what);
    let then = format!("; T{thread} then finds the {what} poisoned by T{}", cause.thread);
    with(cause, &then)
}

/// The text of a panic in one line, with this behind it.
pub fn with(cause: &Panicked, then: &str) -> String {
    let mut lines = cause.message.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let values: Vec<&str> = lines.collect();
    if values.is_empty() {
        format!("{first}{then}")
    } else {
        format!("{first} ({}){then}", values.join(", "))
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_string(),
    }
}

/// File, line and column of the panic with this message; nothing where several places said the same.
pub fn place(output: &str, message: &str) -> Option<(String, u32, u32)> {
    let mut found = None;
    // `thread 'name' (number) panicked at file:line:column:`, and the message from the next line on.
    for said in output.split(" panicked at ").skip(1) {
        let Some((place, rest)) = said.split_once(":\n") else { continue };
        let place = split(place).filter(|_| rest.starts_with(message));
        match (&found, place) {
            (_, None) => {}
            (None, place) => found = place,
            (Some(known), Some(place)) if *known == place => {}
            _ => return None,
        }
    }
    found
}

/// What `assert_eq!` and `assert_ne!` say that they have compared, where both fit into a line.
pub fn compared(message: &str) -> Vec<Value> {
    let lines: Vec<&str> = message.lines().collect();
    let [first, .., left, right] = &lines[..] else { return Vec::new() };
    let asserts = first.starts_with("assertion `left ");
    let sides = left.trim_start().strip_prefix("left: ").zip(right.trim_start().strip_prefix("right: "));
    let Some((left, right)) = sides.filter(|_| asserts) else { return Vec::new() };
    let told = [("left", left), ("right", right)]
        .map(|(name, value)| Value { name: name.into(), value: value.into() });
    let fits = operands::text(&told).chars().count() <= operands::LONGEST;
    if fits { told.into() } else { Vec::new() }
}

fn split(place: &str) -> Option<(String, u32, u32)> {
    let mut parts = place.rsplitn(3, ':');
    let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((parts.next()?.to_string(), line, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_compared() {
        let text = |message: &str| operands::text(&compared(message));
        assert_eq!(
            text("assertion `left == right` failed: x\n  left: Some(3)\n right: None"),
            "left = Some(3), right = None"
        );
        assert_eq!(text("left: 1\nright: 2"), "");
        assert_eq!(
            text(&format!("assertion `left == right` failed\n  left: {}\n right: 1", "1".repeat(60))),
            ""
        );
    }

    #[test]
    fn by_its_message() {
        let output = "a: b\n\nthread '<unnamed>' (42) panicked at src/queue.rs:34:9:\nfull\nnote: x\n\n\
                      thread 'w' panicked at a b.rs:7:1:\nempty\n";
        assert_eq!(place(output, "full"), Some(("src/queue.rs".to_string(), 34, 9)));
        assert_eq!(place(output, "empty"), Some(("a b.rs".to_string(), 7, 1)));
        assert_eq!(place(output, "other"), None);
        let twice = output.replace("\nempty", "\nfull");
        assert_eq!(place(&twice, "full"), None);
        assert_eq!(place(&(output.to_string() + output), "full"), place(output, "full"));
    }
}
