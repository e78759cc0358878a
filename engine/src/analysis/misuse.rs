//! Misuse that ended an execution (`raddle_schedule::misuse`), in words: what was done, to what, and who
//! else has a part in it and where. The runtime says what it knows; where locks were taken is read off
//! the trace.

use super::size_of_access;
use crate::summary::{Failure, FailureKind, Race, UsedDestroyed};
use raddle_schedule::misuse::{Involved, Misuse, Part, What};
use raddle_schedule::{Event, OpKind, Trace};

/// How an object is called.
pub type Naming<'a> = &'a mut dyn FnMut(OpKind, u64) -> String;

/// What a misuse begins with in every message, and what tells it from others at the same place.
pub fn head(what: What) -> &'static str {
    match what {
        What::UseAfterFree => "use after free",
        What::DoubleFree => "double free",
        What::InvalidFree => "free of what malloc did not give",
        What::FreeInUse => "free while in use",
        What::MismatchedFree => "mismatched free",
        What::Unlock => "unlock of a mutex that is not held",
        What::RwUnlock => "unlock of a read-write lock that is not held",
        What::Wait => "wait without holding the mutex",
        What::DestroyInUse => "destroy while in use",
        What::InitInUse => "initialise while in use",
        What::UseOfDestroyed => "use after destroy",
        What::Join => "join of a thread that cannot be joined",
        What::Detach => "detach of a thread that cannot be detached",
        What::UseAfterReturn => "use after return",
        What::UseAfterThreadEnd => "use after the end of a thread",
        What::Uninitialised => "use of what was not initialised",
    }
}

/// The misuse that ended this execution, in one sentence. `whose`: the function that an object was on the stack of, if
/// that is known.
pub fn describe(misuse: &Misuse, thread: u8, whose: &str, name: Naming) -> String {
    let object = name(misuse.kind, misuse.object);
    let did = verb(misuse.kind);
    // Their names, and whether they are several.
    let all_who = |part: Part| {
        let all = misuse.involved.iter().filter(|i| i.part == part);
        let mut names: Vec<String> = all.map(|i| format!("T{}", i.thread)).collect();
        names.dedup();
        let several = names.len() > 1;
        (!names.is_empty()).then(|| (names.join(" and "), several))
    };
    let who = |part: Part| all_who(part).map(|(names, _)| names);
    let waiting = || match all_who(Part::Waits) {
        Some((names, true)) => format!("for which {names} wait"),
        Some((name, false)) => format!("for which {name} waits"),
        None => "for which a thread waits".to_string(),
    };
    let told = match misuse.what {
        What::UseAfterFree | What::DoubleFree => {
            let freed = match who(Part::Freed) {
                Some(by) if by == format!("T{thread}") => "which it gave back before".to_string(),
                Some(by) => format!("which {by} gave back before"),
                None => "which was given back before".to_string(),
            };
            format!("T{thread} {did} {object}{}, {freed}", within(misuse))
        }
        What::InvalidFree => format!("T{thread} {did} {object}{}", within(misuse)),
        What::UseAfterReturn => {
            let by = who(Part::Returned).unwrap_or_else(|| "a thread".into());
            match whose {
                "" => format!("T{thread} {did} {object}, of a function from which {by} has returned"),
                _ => format!("T{thread} {did} {object} of `{whose}`, from which {by} has returned"),
            }
        }
        What::UseAfterThreadEnd => {
            let by = who(Part::Ended).unwrap_or_else(|| "a thread".into());
            match whose {
                "" => format!("T{thread} {did} {object} of {by}, which has ended"),
                _ => format!("T{thread} {did} {object} of `{whose}` on the stack of {by}, which has ended"),
            }
        }
        What::Uninitialised => format!("T{thread} {did} {object}, which nobody has initialised"),
        What::MismatchedFree => {
            let (gave, takes) = misuse.families();
            let (gave, takes) = (gave.gives(), takes.takes());
            let by = match who(Part::Allocated) {
                Some(by) if by == format!("T{thread}") => "it allocated".to_string(),
                Some(by) => format!("{by} allocated"),
                None => "was allocated".to_string(),
            };
            format!("T{thread} frees {object}{}, by {takes}, which {by} by {gave}", within(misuse))
        }
        What::FreeInUse => {
            format!("T{thread} frees the block with {object}, {}", waiting())
        }
        What::Unlock | What::RwUnlock => match all_who(Part::Holds) {
            Some((holders, true)) => format!("T{thread} unlocks {object}, which {holders} hold"),
            Some((holder, false)) => format!("T{thread} unlocks {object}, which {holder} holds"),
            None => format!("T{thread} unlocks {object}, which nobody holds"),
        },
        What::Wait => match who(Part::Holds) {
            Some(holder) => format!("T{thread} waits with {object}, which {holder} holds"),
            None => format!("T{thread} waits with {object}, which nobody holds"),
        },
        What::DestroyInUse | What::InitInUse => {
            let holds = who(Part::Holds).map(|h| match h == format!("T{thread}") {
                true => "which it holds itself".to_string(),
                false => format!("which {h} holds"),
            });
            let waits = who(Part::Waits).map(|_| waiting());
            let used: Vec<String> = holds.into_iter().chain(waits).collect();
            format!("T{thread} {} {object}, {}", ends(misuse.what), used.join(" and "))
        }
        What::UseOfDestroyed => {
            let by = who(Part::Destroyed).unwrap_or_else(|| "a thread".into());
            format!("T{thread} {did} {object}, which {by} destroyed")
        }
        What::Join | What::Detach => {
            let did = if misuse.what == What::Join { "joins" } else { "detaches" };
            let own = |by: String| if by == format!("T{thread}") { "it".to_string() } else { by };
            let why = match (who(Part::Joined).map(own), who(Part::Detached).map(own)) {
                (Some(by), _) if by == "it" => ", which it joined before".to_string(),
                (Some(by), _) => format!(", which {by} joins"),
                (None, Some(by)) => format!(", which {by} has detached"),
                (None, None) => String::new(),
            };
            format!("T{thread} {did} {object}{why}")
        }
    };
    format!("{}: {told}", head(misuse.what))
}

/// `, 8 bytes into a block of 32`, where it is known and not the block's start.
fn within(misuse: &Misuse) -> String {
    match (misuse.block, misuse.object.checked_sub(misuse.block.0)) {
        ((0, _), _) | (_, None) => String::new(),
        ((_, len), Some(0)) => format!(", a block of {len} bytes"),
        ((_, len), Some(offset)) => format!(", {offset} bytes into a block of {len}"),
    }
}

/// What a thread does with this operation.
fn verb(kind: OpKind) -> &'static str {
    match kind {
        OpKind::Read | OpKind::AtomicLoad => "reads",
        OpKind::Write | OpKind::AtomicStore => "writes",
        OpKind::AtomicRmw => "updates",
        OpKind::Free => "frees",
        OpKind::Lock | OpKind::TryLock => "locks",
        OpKind::ReadLock | OpKind::WriteLock | OpKind::TryReadLock | OpKind::TryWriteLock => "locks",
        OpKind::Unlock | OpKind::ReadUnlock | OpKind::WriteUnlock => "unlocks",
        OpKind::Barrier => "waits at",
        OpKind::CondEnqueue | OpKind::FutexWait => "waits on",
        OpKind::CondWake => "locks again",
        OpKind::NotifyOne | OpKind::NotifyAll => "notifies",
        OpKind::SemWait | OpKind::SemTryWait => "takes",
        OpKind::SemPost => "posts",
        _ => "uses",
    }
}

/// What somebody has done who has a part in it.
pub fn part(involved: &Involved) -> &'static str {
    match involved.part {
        Part::Allocated => "allocated it",
        Part::Freed => "gave it back",
        Part::Holds => "locked it",
        Part::Waits => "waits for it",
        Part::Destroyed => "destroyed it",
        Part::Initialised => "initialised it",
        Part::Joined => "joins it",
        Part::Detached => "detached it",
        Part::Returned => "returned",
        Part::Ended => "ended",
    }
}

/// Who has a part in it, with the places at which locks were taken.
pub fn involved(misuse: &Misuse, trace: &Trace) -> Vec<Involved> {
    let mut all = misuse.involved.clone();
    for holder in all.iter_mut().filter(|i| i.part == Part::Holds && i.site == 0) {
        let takes = |e: &&Event| e.thread() == holder.thread && takes(e, misuse.object);
        if let Some(took) = trace.events.iter().rev().find(takes) {
            (holder.site, holder.method) = (took.site, took.method);
        }
    }
    all
}

fn takes(event: &Event, mutex: u64) -> bool {
    match event.kind() {
        OpKind::Lock | OpKind::TryLock => event.object() == mutex && !event.failed(),
        OpKind::CondWake => event.value == mutex,
        _ => event.object() == mutex && !event.failed() && event.op().takes_rwlock().is_some(),
    }
}

/// An object that is destroyed or initialised, or goes with its stack, and used, in one sentence. `whose`: as in [`describe`].
pub fn describe_destroyed(found: &UsedDestroyed, whose: &str, name: Naming) -> String {
    let UsedDestroyed { destroyed, user } = found;
    if destroyed.is_of_stack() {
        let (by, object) = (destroyed.by.thread, name(user.kind, found.used()));
        let goes = match (destroyed.misuse(), whose) {
            (What::UseAfterReturn, "") => "returns from a function".to_string(),
            (What::UseAfterReturn, _) => format!("returns from `{whose}`"),
            _ => "ends".to_string(),
        };
        let (head, verb) = (head(destroyed.misuse()), verb(user.kind));
        return format!(
            "{head}: T{by} {goes}, T{} {verb} {object} on its stack, and nothing orders the two",
            user.thread
        );
    }
    let (kind, object) = match destroyed.is_static() {
        true => (user.kind, found.used()),
        false => (destroyed.kind, destroyed.object),
    };
    let (by, object) = (destroyed.by.thread, name(kind, object));
    let (what, used) = (destroyed.misuse(), uses(found));
    let (head, ends) = (head(what), ends(what));
    // Whom a notify wakes comes after it, but need not come after the call's end.
    let notifies = what != What::InitInUse && matches!(user.kind, OpKind::NotifyOne | OpKind::NotifyAll);
    let unordered = if notifies {
        format!("nothing makes T{by} wait until that is over")
    } else {
        "nothing orders the two".into()
    };
    format!("{head}: T{by} {ends} {object}, T{} {used}, and {unordered}", user.thread)
}

/// What a thread does that ends what was there.
fn ends(what: What) -> &'static str {
    if what == What::InitInUse { "initialises" } else { "destroys" }
}

/// What the user of something destroyed does.
pub fn uses(found: &UsedDestroyed) -> String {
    let has_room = found.destroyed.is_of_stack() || found.destroyed.is_static();
    let with_it =
        found.user.kind == OpKind::CondEnqueue && found.user.object != found.destroyed.object && !has_room;
    format!("{} it", if with_it { "waits with" } else { verb(found.user.kind) })
}

/// Is the misuse that ended this execution told by what happens in no order? A use after free as a race, the use of
/// what was destroyed likewise.
pub fn is_unordered(trace: &Trace, unordered: &Unordered) -> bool {
    let of_destroyed = |m: &Misuse| {
        let is_it = |d: &UsedDestroyed| match d.destroyed.is_static() {
            true => d.destroyed.covers(m.object),
            false => d.destroyed.object == m.object,
        };
        let same = |d: &UsedDestroyed| is_it(d) && d.user.thread == trace.thread;
        let gone = |d: &UsedDestroyed| d.destroyed.is_of_stack() && d.destroyed.covers(m.object);
        let gone = |d: &UsedDestroyed| gone(d) && d.user.thread == trace.thread;
        match m.what {
            What::UseOfDestroyed => unordered.destroyed.iter().any(same),
            What::UseAfterReturn | What::UseAfterThreadEnd => unordered.destroyed.iter().any(gone),
            _ => false,
        }
    };
    is_race(trace, unordered.races) || trace.misuse.as_ref().is_some_and(of_destroyed)
}

/// Did a misuse end the execution of this failure, so that nothing behind it was run?
pub fn ended_by(failure: &Failure) -> bool {
    let is_it = |what: &What| failure.message.starts_with(head(*what));
    let ends = failure.kind == FailureKind::Crash && failure.used_destroyed.is_none();
    ends && What::ALL.iter().any(is_it)
}

/// What nothing orders in an execution.
#[derive(Clone, Copy, Default)]
pub struct Unordered<'a> {
    /// Accesses.
    pub races: &'a [Race],
    /// The end of an object, and its use.
    pub destroyed: &'a [UsedDestroyed],
}

impl Unordered<'_> {
    /// Nothing is.
    pub fn is_empty(&self) -> bool {
        self.races.is_empty() && self.destroyed.is_empty()
    }
}

/// Is the use after free that ended this execution a race with the free, and told as one?
fn is_race(trace: &Trace, races: &[Race]) -> bool {
    let Some(misuse) = trace.misuse.as_ref().filter(|m| m.what == What::UseAfterFree) else { return false };
    let own = |e: &Event| !e.kind().is_annotation() && e.thread() == trace.thread;
    let Some(last) = trace.events.iter().rposition(own) else { return false };
    let event = &trace.events[last];
    let (from, to) = (event.object(), event.object() + size_of_access(event));
    let meets =
        event.kind() == misuse.kind && ((from..to).contains(&misuse.object) || event.value == misuse.object);
    meets && races.iter().any(|r| r.second.event as usize == last && r.first.kind == OpKind::Free)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::misuse::Family;

    fn misuse(what: What, kind: OpKind, involved: &[(Part, u8)]) -> Misuse {
        let involved = involved.iter().map(|(part, thread)| Involved {
            part: *part,
            thread: *thread,
            method: 0,
            site: 0,
        });
        Misuse { what, kind, size: 0, object: 0x18, block: (0, 0), involved: involved.collect() }
    }

    #[track_caller]
    fn check(misuse: &Misuse, told: &str) {
        assert_eq!(describe(misuse, 1, "", &mut |_, object| format!("x{object}")), told);
    }

    #[test]
    fn who_and_what_is_told() {
        use Part::*;
        let read = misuse(What::UseAfterFree, OpKind::Read, &[(Allocated, 0), (Freed, 2)]);
        check(&read, "use after free: T1 reads x24, which T2 gave back before");
        let inside = Misuse { block: (0x10, 32), involved: Vec::new(), ..read };
        check(
            &inside,
            "use after free: T1 reads x24, 8 bytes into a block of 32, which was given back before",
        );
        check(
            &Misuse { block: (0x18, 32), ..misuse(What::DoubleFree, OpKind::Free, &[(Freed, 1)]) },
            "double free: T1 frees x24, a block of 32 bytes, which it gave back before",
        );
        let size = Misuse::mismatch(Family::NewArray, Family::New);
        check(
            &Misuse {
                block: (0x18, 32),
                size,
                ..misuse(What::MismatchedFree, OpKind::Free, &[(Allocated, 0)])
            },
            "mismatched free: T1 frees x24, a block of 32 bytes, by delete, which T0 allocated by new[]",
        );
        check(
            &misuse(What::Unlock, OpKind::Unlock, &[(Holds, 2)]),
            "unlock of a mutex that is not held: T1 unlocks x24, which T2 holds",
        );
        check(
            &misuse(What::DestroyInUse, OpKind::Lock, &[(Holds, 1), (Waits, 2), (Waits, 3)]),
            "destroy while in use: T1 destroys x24, which it holds itself and for which T2 and T3 wait",
        );
    }

    #[test]
    fn where_a_lock_was_taken_is_read_off_the_trace() {
        let mut took = Event::new(OpKind::Lock, 2, 0x18);
        (took.site, took.method) = (7, 8);
        let mut other = Event::new(OpKind::Lock, 3, 0x18);
        other.site = 9;
        let trace = Trace { events: vec![took, other], ..Trace::default() };
        let found = involved(&misuse(What::Unlock, OpKind::Unlock, &[(Part::Holds, 2)]), &trace);
        assert_eq!((found[0].site, found[0].method), (7, 8));
    }
}
