//! Locks that are taken in a cycle, and variables without one, in words.

use super::annotated_trace::Places;
use super::names::{Names, name_of};
use raddle_engine::{Access, Operation, Unprotected, Wanted};
use raddle_schedule::OpKind;

/// Who takes what while they hold what: `T1 locks right (a.c:15) while it holds left (a.c:14); T2 …`.
pub fn cycle(wanted: &[Wanted], places: &Places, names: &mut Names) -> String {
    let one = |w: &Wanted| {
        let takes = lock((w.kind, w.lock), w.site, places, names);
        let holds = lock((w.holds_kind, w.holds), w.holds_site, places, names);
        let does = match w.kind {
            OpKind::ReadLock => "read-locks",
            OpKind::WriteLock => "write-locks",
            _ => "locks",
        };
        format!("T{} {does} {takes} while it holds {holds}", w.thread)
    };
    wanted.iter().map(one).collect::<Vec<String>>().join("; ")
}

/// A lock and the place where it is taken.
fn lock((kind, object): (OpKind, u64), site: u32, places: &Places, names: &mut Names) -> String {
    // Taken back after a wait, it is the mutex that is meant.
    let kind = if kind == OpKind::CondWake { OpKind::Lock } else { kind };
    let operation = Operation { kind, object, site, method: 0 };
    let name = name_of(&operation, places).unwrap_or_else(|| names.object(kind, object));
    match places.site(site) {
        Some(p) => format!("{name} ({}:{})", p.file, p.line),
        None => name,
    }
}

/// A variable without a lock, both accesses and what was held there: `the locking discipline is violated
/// at total: T2 writes it (a.c:24) holding lock, T1 reads it (a.c:35) holding no lock`.
pub fn unprotected(found: &Unprotected, places: &Places, names: &mut Names) -> String {
    let variable = variable(found, places, names);
    let mut side = |a: &Access, holds: &[u64], only_read: &[u64]| {
        let mut locks: Vec<String> = holds.iter().map(|lock| names.object(OpKind::Lock, *lock)).collect();
        locks.extend(
            only_read.iter().map(|l| format!("{} for reading only", names.object(OpKind::ReadLock, *l))),
        );
        let holding = if locks.is_empty() { "no lock".to_string() } else { locks.join(" and ") };
        format!("{} holding {holding}", does(a, places))
    };
    let (first, second) = (
        side(&found.first, &found.first_holds, &found.only_read[0]),
        side(&found.second, &found.second_holds, &found.only_read[1]),
    );
    format!("no lock is held at all accesses to {variable}: {first}, {second}")
}

/// A `volatile` variable that is used as if that synchronised: `volatile is no synchronisation in C and C++, and
/// nothing else orders what is done with flag: T1 reads it (a.c:4), T0 writes it (a.c:9)`.
pub fn volatile(found: &Unprotected, places: &Places, names: &mut Names) -> String {
    let variable = variable(found, places, names);
    let (first, second) = (does(&found.first, places), does(&found.second, places));
    format!(
        "volatile is no synchronisation in C and C++, and nothing else orders what is done with {variable}: {first}, {second} \
         (explored as if it were atomic; it should be)"
    )
}

/// What both accesses are to.
fn variable(found: &Unprotected, places: &Places, names: &mut Names) -> String {
    let (first, second) = (&found.first, &found.second);
    let operation = |a: &Access| Operation { kind: a.kind, object: a.object, site: a.site, method: 0 };
    let known = name_of(&operation(first), places).or_else(|| name_of(&operation(second), places));
    known.unwrap_or_else(|| names.object(first.kind, first.object))
}

/// Who does what to it, and where: `T2 writes it (a.c:24)`.
fn does(a: &Access, places: &Places) -> String {
    let does = match a.kind {
        OpKind::Write => "writes",
        OpKind::Free => "frees",
        _ => "reads",
    };
    let place = places.site(a.site).map(|p| format!(" ({}:{})", p.file, p.line)).unwrap_or_default();
    format!("T{} {does} it{place}", a.thread)
}
