//! Threads that wait for each other for ever, told at the event at which the cycle closes: what others did
//! after it has no part in it.

use super::annotated_trace::{AnnotatedTrace, Places};
use super::initialisers;
use super::location;
use super::names::Names;
use super::story::Line;
use raddle_engine::analysis::wait_cycle::wait_cycles;
use raddle_engine::{Failure, Wait, WaitCycle};
use raddle_protocol::report;
use raddle_schedule::{OpKind, Trace};

/// The failure's cycle as this execution of it has it; its events are those of the trace given.
pub fn of(f: &Failure, trace: &Trace) -> Option<WaitCycle> {
    let same = |a: &Wait, b: &Wait| (a.thread, a.site, a.held_by) == (b.thread, b.site, b.held_by);
    let wanted = f.cycle.as_ref()?;
    wait_cycles(trace).into_iter().find(|c| {
        c.waits.len() == wanted.waits.len() && c.waits.iter().zip(&wanted.waits).all(|(a, b)| same(a, b))
    })
}

/// For programs.
pub fn waits(cycle: &WaitCycle, places: &Places, names: &mut Names) -> Vec<report::Wait> {
    let wait = |w: &Wait| report::Wait {
        thread: format!("T{}", w.thread),
        waits_for: names.object(w.kind, w.object),
        held_by: format!("T{}", w.held_by),
        location: places.stands(w.thread, w.site).as_ref().map(location),
    };
    cycle.waits.iter().map(wait).collect()
}

/// Where among the operations shown it closed.
pub fn position(cycle: &WaitCycle, scene: &AnnotatedTrace) -> Option<usize> {
    scene.events.iter().rposition(|e| e.index <= cycle.formed as usize)
}

/// In words, each thread once: `T1 waits to lock right, held by T2; T2 waits to lock left, held by T1`.
pub fn describe(cycle: &WaitCycle, names: &mut Names) -> String {
    let mut each = |w: &Wait| {
        let (thread, by) = (w.thread, w.held_by);
        match w.kind {
            OpKind::Join => format!("T{thread} waits for the end of T{by}"),
            _ if names.initialiser(w.object) == Some(by) => {
                initialisers::wait(thread, by, &names.object(w.kind, w.object))
            }
            kind => {
                let how = match kind {
                    OpKind::ReadLock => "read-lock",
                    OpKind::WriteLock => "write-lock",
                    _ => "lock",
                };
                let holder =
                    if thread == by { "which it holds itself".into() } else { format!("held by T{by}") };
                format!("T{thread} waits to {how} {}, {holder}", names.object(w.kind, w.object))
            }
        }
    };
    let waits: Vec<String> = cycle.waits.iter().map(&mut each).collect();
    waits.join("; ")
}

/// The execution up to there, and what others do after it.
pub fn up_to(position: usize, cycle: &WaitCycle, scene: &AnnotatedTrace) -> (AnnotatedTrace, Option<Line>) {
    let (told, rest) = scene.events.split_at(position + 1);
    let told = scene.with(told.to_vec());
    let mut others: Vec<u8> = rest.iter().map(|e| e.thread).collect();
    others.sort_unstable();
    others.dedup();
    if others.is_empty() {
        return (told, None);
    }
    let waiting: Vec<u8> = cycle.waits.iter().map(|w| w.thread).collect();
    let text = match waiting[..] {
        [one] => format!("T{one} waits for ever from here on; {} on", go(&others)),
        _ => format!("{} wait for each other for ever from here on; {} on", list(&waiting), go(&others)),
    };
    (told, Some(Line::Note(text)))
}

fn go(threads: &[u8]) -> String {
    format!("{} {}", list(threads), if threads.len() == 1 { "goes" } else { "go" })
}

/// `T1, T2 and T3`.
fn list(threads: &[u8]) -> String {
    let names: Vec<String> = threads.iter().map(|t| format!("T{t}")).collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}
