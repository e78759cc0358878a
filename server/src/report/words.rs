//! Operations in the words of a story.

use super::scene::Shown;
use raddle_schedule::OpKind;

/// One operation in words.
pub fn operation(e: &Shown) -> String {
    use OpKind::*;
    let o = &e.object;
    // What is too large for a count is an address, or bits.
    let v = e.value.unwrap_or(0);
    let v = if v >> 40 == 0 || v >> 32 == u64::from(u32::MAX) { v.to_string() } else { format!("{v:#x}") };
    match e.kind {
        ThreadStart => "starts".into(),
        Spawn => format!("spawns {o}"),
        Join => format!("joins {o}"),
        Exit => "ends".into(),
        Lock | ReadLock | WriteLock => format!("locks {o}"),
        TryLock if e.failed => format!("cannot lock {o}"),
        TryLock => format!("locks {o}"),
        Unlock => format!("unlocks {o}"),
        CondEnqueue => format!("waits on {o}, releasing {}", e.other),
        CondWake => format!("is woken on {o}, locks {}", e.other),
        NotifyOne => format!("notifies one on {o}"),
        NotifyAll => format!("notifies all on {o}"),
        SemWait => format!("takes {o}"),
        SemTryWait if e.failed => format!("cannot take {o}"),
        SemTryWait => format!("takes {o}"),
        SemPost => format!("posts {o}"),
        AtomicLoad if e.value.is_none() => format!("loads {o}"),
        AtomicLoad => format!("loads {o} = {v}"),
        AtomicStore if e.value.is_none() => format!("stores {o}"),
        AtomicStore => format!("stores {o} = {v}"),
        AtomicRmw if e.failed => format!("compares {o} = {v}, stores nothing"),
        AtomicRmw if e.value.is_none() => format!("updates {o}"),
        AtomicRmw => format!("updates {o} (was {v})"),
        Park => "parks".into(),
        Unpark => format!("unparks ({o})"),
        Yield => "yields".into(),
        Sleep => "sleeps".into(),
        Timeout => format!("stops waiting on {o}: time is over"),
        Read => format!("reads {o}"),
        Write => format!("writes {o}"),
        Free => format!("frees {o}"),
        Input => format!("gets input {v}"),
        FutexWait => format!("waits on {o}"),
        FutexWake => format!("wakes waiters of {o}"),
        kind if o.is_empty() => kind.name().into(),
        kind => format!("{} {o}", kind.name()),
    }
}

/// What a thread is about to do, of which only kind and object are known.
pub fn pending(kind: OpKind, object: &str) -> String {
    if kind == OpKind::CondWake {
        return format!("waits for a notify of {object}");
    }
    operation(&Shown {
        index: 0,
        step: None,
        thread: 0,
        kind,
        object: object.to_string(),
        other: String::new(),
        value: None,
        failed: false,
        place: None,
        method: String::new(),
        matters: false,
        decisive: false,
        panic: None,
        preemption: None,
    })
}
