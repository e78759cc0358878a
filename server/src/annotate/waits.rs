//! What a thread waits for at the end, in words, and who could have ended that.

use super::annotated_trace::Places;
use super::initialisers;
use super::library_calls::Stands;
use super::names::Names;
use super::words;
use raddle_engine::{Blocked, PossibleWaker};
use raddle_schedule::OpKind;

/// How the condition variable of a barrier of Rust is told, which has the name of the barrier.
const OF_BARRIER: &str = " (condvar)";

/// `T1 waits to lock right, held by T2`; `T1 spins in eat until right is given back`.
pub fn wait(b: &Blocked, places: &Places, names: &mut Names) -> String {
    if !b.spins_on.is_empty() {
        return spins(b, places, names);
    }
    if let Some(by) = for_initialiser(b, names) {
        return initialisers::wait(b.thread, by, &names.object(b.kind, b.object));
    }
    let outer = places.outer();
    let known = outer.stands(b.thread, b.site).filter(|s| !s.modelled);
    let of_words = waits_for_rwlock(b, names).map(|(lock, _)| names.rwlock_holders(lock).to_vec());
    let holders = of_words.as_ref().or(known.map(|s| &s.holders)).unwrap_or(&b.holders);
    let by = match holders.as_slice() {
        _ if b.kind == OpKind::Join => String::new(),
        [] => String::new(),
        [h] if *h == b.thread => ", which it holds itself".to_string(),
        holders => {
            let holders: Vec<String> = holders.iter().map(|h| format!("T{h}")).collect();
            format!(", held by {}", holders.join(" and "))
        }
    };
    format!("T{} waits {}{by}", b.thread, for_what(b, places, names))
}

/// The thread that runs the initialiser which it waits for.
fn for_initialiser(b: &Blocked, names: &Names) -> Option<u8> {
    names.initialiser(b.object).filter(|_| matches!(b.kind, OpKind::Lock | OpKind::FutexWait))
}

/// Does another one of the blocked threads wait for this one: for a lock that it holds, or an initialiser that it runs?
pub fn keeps(thread: u8, blocked: &[Blocked], places: &Places, names: &Names) -> bool {
    let others = || blocked.iter().filter(|b| b.kind != OpKind::Join && b.thread != thread);
    let outer = places.outer();
    others().any(|b| {
        let of_library = outer.stands(b.thread, b.site).is_some_and(|s| s.holders.contains(&thread));
        let of_words = waits_for_rwlock(b, names).map(|(lock, _)| names.rwlock_holders(lock));
        let holds = of_words.unwrap_or(&b.holders).contains(&thread);
        holds || of_library || for_initialiser(b, names) == Some(thread)
    })
}

/// The read-write lock, made of words, that it waits for, and whether to write.
pub fn waits_for_rwlock(b: &Blocked, names: &Names) -> Option<(u64, bool)> {
    names.rwlock(b.thread, b.object).filter(|_| b.kind == OpKind::FutexWait)
}

/// What a thread waits for inside of a library that the program has called.
fn within(stands: &Stands, own: String, names: &mut Names) -> String {
    let call = &stands.call;
    match (&stands.role, &call.says) {
        (Some(role), _) => {
            let told = kind_of(role.kind, names.object(role.kind, role.object));
            if stands.direct { told } else { format!("{told} in {}", call.function) }
        }
        (None, Some(says)) => format!("{} {}", says.to, call.on),
        (None, None) => format!("in {}, {own}", call.function),
    }
}

fn for_what(b: &Blocked, places: &Places, names: &mut Names) -> String {
    let object = names.object(b.kind, b.object);
    let own = match waits_for_rwlock(b, names) {
        Some((_, true)) => format!("to write-lock {object}"),
        Some((_, false)) => format!("to read-lock {object}"),
        None => kind_of(b.kind, object),
    };
    match places.outer().stands(b.thread, b.site) {
        Some(stands) => within(stands, own, names),
        None => own,
    }
}

/// What reports call an epoll, without its number.
const EPOLL: &str = "epoll";

fn kind_of(kind: OpKind, object: String) -> String {
    match kind {
        OpKind::Lock => format!("to lock {object}"),
        OpKind::ReadLock => format!("to read-lock {object}"),
        OpKind::WriteLock => format!("to write-lock {object}"),
        OpKind::Barrier => format!("at {object}"),
        OpKind::Join => format!("for the end of {object}"),
        OpKind::CondWake => match object.strip_suffix(OF_BARRIER) {
            Some(barrier) => format!("at {barrier}"),
            None => format!("for a notify of {object}"),
        },
        OpKind::Park => "to be unparked".to_string(),
        OpKind::ChannelRecv if object.starts_with(EPOLL) => format!("for an event of {object}"),
        OpKind::ChannelRecv => format!("to read from {object}"),
        _ => format!("for {object}"),
    }
}

/// A thread that goes round a loop: where, and what would end it.
fn spins(b: &Blocked, places: &Places, names: &mut Names) -> String {
    let within = match places.method(b.method).as_str() {
        "" => String::new(),
        method => format!(" in {method}"),
    };
    match b.is_endless() {
        true => format!("T{} loops{within} for ever", b.thread),
        false => format!("T{} spins{within} until {}", b.thread, changes(b, names)),
    }
}

/// What would end a loop.
fn changes(b: &Blocked, names: &mut Names) -> String {
    let mut on: Vec<String> = Vec::new();
    for (kind, object) in &b.spins_on {
        let name = names.object(*kind, *object);
        if !on.contains(&name) {
            on.push(name);
        }
    }
    let ends = match b.kind {
        OpKind::TryLock | OpKind::TryReadLock | OpKind::TryWriteLock | OpKind::SemTryWait => "is given back",
        _ => "changes",
    };
    format!("{} {ends}", on.join(" or "))
}

/// Blocked for ever, in so many executions; who could have ended it is told of the first.
pub fn after_main(b: &Blocked, count: u64, places: &Places, names: &mut Names) -> String {
    let (times, first) = match count {
        0 | 1 => (String::new(), ""),
        n => (format!(", in {n} executions"), "in the first "),
    };
    let who = who_could(b, places, names).map(|who| format!("; {first}{who}")).unwrap_or_default();
    format!("still blocked after main returned{times}: {}{who}", wait(b, places, names))
}

/// Who could end the wait, in a sentence; `None` where all that is known of it is that others wait too.
pub fn sentence(b: &Blocked, places: &Places, names: &mut Names) -> Option<String> {
    let who = who_could(b, places, names)?;
    if b.spins_on.is_empty() {
        return Some(format!("T{} waits {}: {who}.", b.thread, for_what(b, places, names)));
    }
    let does: Vec<String> = b.round.iter().map(|(kind, object)| round(*kind, *object, names)).collect();
    let does = does.join(", ");
    Some(match b.is_endless() {
        true => format!("T{} loops ({does}) for ever: {who}.", b.thread),
        false => format!("T{} loops ({does}) until {}: {who}.", b.thread, changes(b, names)),
    })
}

fn round(kind: OpKind, object: u64, names: &mut Names) -> String {
    let name = names.object(kind, object);
    match kind {
        OpKind::TryLock => format!("tries to lock {name}"),
        OpKind::TryReadLock => format!("tries to read-lock {name}"),
        OpKind::TryWriteLock => format!("tries to write-lock {name}"),
        OpKind::SemTryWait => format!("tries to take {name}"),
        OpKind::ChannelRecv => format!("tries to read from {name}"),
        _ => words::pending(kind, &name),
    }
}

/// The last that was done towards its end, and by whom.
pub fn who_could(b: &Blocked, places: &Places, names: &mut Names) -> Option<String> {
    use OpKind::*;
    // Who has it is told with the wait; and what a library keeps inside, and who has done something to that, is its own matter.
    let within = places.outer().stands(b.thread, b.site).is_some_and(|s| !s.modelled);
    if waits_for_rwlock(b, names).is_some() || for_initialiser(b, names).is_some() || within {
        return None;
    }
    if b.kind == OpKind::CondWake && names.object(b.kind, b.object).ends_with(OF_BARRIER) {
        return b.possible_waker.is_none().then(|| "the last of its threads has not arrived".into());
    }
    let Some(e) = &b.possible_waker else {
        return match b.kind {
            Lock | Join | ReadLock | WriteLock | TryLock | TryReadLock | TryWriteLock => None,
            Barrier => Some("no other thread has arrived".into()),
            CondWake => Some("no other thread has given one".into()),
            SemWait | SemTryWait => Some("no other thread has posted it".into()),
            Park => Some("no other thread has unparked it".into()),
            ChannelRecv if raddle_schedule::world::is_epoll(b.object) => {
                Some("no other thread has written to what it watches".into())
            }
            ChannelRecv => Some("no other thread has written to it".into()),
            FutexWait => Some("no other thread has woken its waiters".into()),
            AtomicLoad if b.spins_on.is_empty() => Some("no other thread has made it ready".into()),
            _ if b.spins_on.is_empty() => None,
            _ if b.is_endless() => Some("no other thread can end the loop".into()),
            _ => Some("no other thread has changed it".into()),
        };
    };
    let who = format!("T{}", e.thread);
    let at = places.site(e.site).map(|p| format!(" (:{})", p.line)).unwrap_or_default();
    let ended = if e.ended { ", and has ended" } else { "" };
    match b.kind {
        Barrier => Some(format!("{who} came there last{at}{ended}")),
        Lock | ReadLock | WriteLock if !e.ended => None,
        Lock | TryLock | ReadLock | WriteLock => {
            let without = if e.ended { " without unlocking it" } else { "" };
            Some(format!("{who} holds it (locked at{}){ended}{without}", at.replace(['(', ')'], "")))
        }
        CondWake => Some(format!("{who} gave the last one{at}, which woke {}", woken(e))),
        SemWait | SemTryWait => Some(format!("{who} posted it last{at}{ended}")),
        Park => Some(format!("{who} unparked it last{at}{ended}")),
        ChannelRecv if raddle_schedule::world::is_epoll(b.object) => {
            Some(format!("{who} wrote to what it watches, or changed that, last{at}{ended}"))
        }
        ChannelRecv => Some(format!("{who} wrote to it, or closed it, last{at}{ended}")),
        FutexWait => Some(format!("{who} woke its waiters last{at}{ended}")),
        _ if b.spins_on.len() == 1 => Some(format!("{who} changed it last{at}{ended}")),
        _ => {
            let object = names.object(e.kind, e.object);
            Some(format!("the last change was {who}'s of {object}{at}{ended}"))
        }
    }
}

fn woken(e: &PossibleWaker) -> String {
    let threads: Vec<String> =
        (0..64).filter(|t| e.woke >> t & 1 != 0).map(|t: u8| format!("T{t}")).collect();
    if threads.is_empty() { "nobody".into() } else { threads.join(" and ") }
}
