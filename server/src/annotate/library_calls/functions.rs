//! What functions of libraries do, by their names in debug information.

use raddle_schedule::OpKind;

/// What a library's function does for who calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Takes something from a channel, and waits for it.
    Receives,
    /// Puts something into a channel, and waits for room.
    Sends,
    /// Runs an initialisation, or waits for who does.
    Initialises,
    /// Waits on a condition variable.
    Waits,
    /// Notifies a condition variable, in this way.
    Notifies(OpKind),
    /// Something else.
    Other,
}

/// What one of the functions of `lock_api` that a lock is made of does to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfLock {
    /// The operation.
    pub kind: OpKind,
    /// It says whether it could.
    pub tries: bool,
    /// Who has it then is not followed.
    pub unclear: bool,
}

/// A function's name in its parts.
#[derive(Debug, PartialEq, Eq)]
struct Parts<'a> {
    /// `crossbeam_channel`.
    of_crate: &'a str,
    /// `Receiver`; empty for none.
    of_type: &'a str,
    /// The trait whose method it is; empty for none.
    of_trait: &'a str,
    /// `recv`.
    method: &'a str,
}

/// What a function does, as far as its callers care.
pub fn does(function: &str) -> Does {
    let plain = plain(function);
    let Parts { of_crate, of_type, method, .. } = parts(&plain);
    match (of_crate, of_type, method) {
        ("crossbeam_channel" | "flume" | "async_channel" | "raddle_facade", "Receiver", m)
            if is(m, "recv") =>
        {
            Does::Receives
        }
        // `for each in &receiver`, `receiver.iter().sum()`.
        ("crossbeam_channel" | "flume" | "raddle_facade", "Iter" | "IntoIter", _) => Does::Receives,
        ("crossbeam_channel" | "flume" | "async_channel" | "raddle_facade", "Sender" | "SyncSender", m)
            if is(m, "send") =>
        {
            Does::Sends
        }
        (
            "once_cell",
            "OnceCell" | "Lazy",
            "get_or_init" | "get_or_try_init" | "force" | "deref" | "wait",
        )
        | ("parking_lot", "Once", "call_once" | "call_once_force") => Does::Initialises,
        ("parking_lot", "Condvar", "notify_one") => Does::Notifies(OpKind::NotifyOne),
        ("parking_lot", "Condvar", "notify_all") => Does::Notifies(OpKind::NotifyAll),
        ("parking_lot", "Condvar", m) if is(m, "wait") => Does::Waits,
        _ => Does::Other,
    }
}

/// `recv`, `recv_timeout`.
fn is(method: &str, verb: &str) -> bool {
    method.strip_prefix(verb).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// What a function does to a lock, if it is one of those that `lock_api` asks of every kind of lock.
pub fn of_lock(function: &str) -> Option<OfLock> {
    use OpKind::*;
    let plain = plain(function);
    let Parts { of_trait, method, .. } = parts(&plain);
    let (kind, unclear) = match (of_trait, method) {
        ("RawMutex" | "RawMutexTimed", "lock" | "try_lock" | "try_lock_for" | "try_lock_until")
        | ("RawMutexFair", "bump") => (Lock, method == "bump"),
        ("RawMutex", "unlock") | ("RawMutexFair", "unlock_fair") => (Unlock, false),
        ("RawRwLockUpgrade" | "RawRwLockUpgradeTimed", m) => {
            (if m.contains("upgrade") && !m.contains("upgradable") { WriteLock } else { ReadLock }, true)
        }
        ("RawRwLockDowngrade" | "RawRwLockUpgradeDowngrade", _) => (ReadUnlock, true),
        ("RawRwLockFair", m) if m.starts_with("bump") => (ReadUnlock, true),
        (t, m) if t.starts_with("RawRwLock") && m.contains("unlock_shared") => (ReadUnlock, false),
        (t, m) if t.starts_with("RawRwLock") && m.contains("unlock_exclusive") => (WriteUnlock, false),
        (t, m) if t.starts_with("RawRwLock") && m.contains("lock_shared") => (ReadLock, false),
        (t, m) if t.starts_with("RawRwLock") && m.contains("lock_exclusive") => (WriteLock, false),
        _ => return None,
    };
    Some(OfLock { kind, tries: method.starts_with("try_"), unclear })
}

/// Is it one of `lock_api`'s own types, as which people name a lock?
pub fn is_lock(function: &str) -> bool {
    let plain = plain(function);
    let Parts { of_crate, of_type, .. } = parts(&plain);
    of_crate == "lock_api" && matches!(of_type, "Mutex" | "FairMutex" | "ReentrantMutex" | "RwLock")
}

/// Is it a condition variable's?
pub fn is_condvar(function: &str) -> bool {
    let plain = plain(function);
    let Parts { of_crate, of_type, .. } = parts(&plain);
    of_crate == "parking_lot" && of_type == "Condvar"
}

/// Is it of std's channels, as programs see them here?
pub fn is_channel_of_std(function: &str) -> bool {
    function.trim_start_matches('<').starts_with("raddle_facade::sync::mpsc")
}

/// As people write it: `Mutex::lock`; of a function of a module, `rayon::join`.
pub fn short(function: &str) -> String {
    let plain = plain(function);
    let Parts { of_crate, of_type, method, .. } = parts(&plain);
    match of_type {
        "" => format!("{of_crate}::{method}"),
        of_type => format!("{of_type}::{method}"),
    }
}

fn parts(plain: &str) -> Parts<'_> {
    let (of, of_trait, method) = match plain.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((inside, rest)) => {
            let (of, of_trait) = inside.split_once(" as ").unwrap_or((inside, ""));
            (of.trim(), of_trait.trim(), rest.trim_start_matches("::"))
        }
        None => {
            let (of, method) = plain.rsplit_once("::").unwrap_or(("", plain));
            (of, "", method)
        }
    };
    let last = |path: &'_ str| path.rfind("::").map_or(0, |at| at + 2);
    let of_type = &of[last(of)..];
    Parts {
        of_crate: of.trim_start_matches(['&', '*']).split("::").next().unwrap_or_default(),
        of_type: if of_type.starts_with(char::is_uppercase) { of_type } else { "" },
        of_trait: &of_trait[last(of_trait)..],
        method,
    }
}

/// Without the arguments of generic types, and without closures inside: `<lock_api::mutex::Mutex as …>::lock`.
fn plain(function: &str) -> String {
    let mut out = String::new();
    let mut depth = 0usize;
    // The first `<` of `<A<B> as C>::d` is no list of arguments.
    let begins = function.starts_with('<');
    for (at, c) in function.char_indices() {
        match c {
            '<' if at == 0 => out.push(c),
            '<' => depth += 1,
            '>' if function[..at].ends_with('-') => {}
            '>' if depth > 0 => depth -= 1,
            '>' if begins => out.push(c),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    let end = [out.find("::{{"), out.find("::{closure")].into_iter().flatten().min().unwrap_or(out.len());
    out.truncate(end);
    // Where the list of arguments was: `Mutex::<T>::lock`, `Iter::sum::<u32>`.
    out.replace("::::", "::").trim_end_matches("::").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_debug_information() {
        let lock = "<parking_lot::raw_mutex::RawMutex as lock_api::mutex::RawMutex>::lock";
        assert_eq!(of_lock(lock).map(|l| l.kind), Some(OpKind::Lock));
        let shared = "<dashmap::lock::RawRwLock as lock_api::rwlock::RawRwLock>::try_lock_shared";
        assert_eq!(of_lock(shared), Some(OfLock { kind: OpKind::ReadLock, tries: true, unclear: false }));
        let upgrade = "<parking_lot::raw_rwlock::RawRwLock as lock_api::rwlock::RawRwLockUpgrade>::upgrade";
        assert_eq!(of_lock(upgrade).map(|l| (l.kind, l.unclear)), Some((OpKind::WriteLock, true)));
        assert_eq!(of_lock("lock_api::mutex::Mutex<R,T>::lock"), None);
        assert!(is_lock("lock_api::mutex::Mutex<R,T>::lock"));
        assert_eq!(short("lock_api::mutex::Mutex<R,T>::lock"), "Mutex::lock");
        assert_eq!(short("<lock_api::mutex::Mutex<_, _>>::lock"), "Mutex::lock");
        assert_eq!(short("rayon_core::join::join"), "rayon_core::join");
        assert_eq!(short("<a::Iter<T> as core::iter::Iterator>::sum::<u32>"), "Iter::sum");
        for (function, expected) in [
            ("crossbeam_channel::channel::Receiver<T>::recv", Does::Receives),
            ("flume::Sender<T>::send_timeout", Does::Sends),
            ("flume::Sender<T>::sender_count", Does::Other),
            ("raddle_facade::sync::mpsc::Receiver<T>::recv", Does::Receives),
            ("<raddle_facade::sync::mpsc::Iter<T> as core::iter::Iterator>::sum::<u32>", Does::Receives),
            ("<once_cell::sync::Lazy<T,F> as core::ops::deref::Deref>::deref", Does::Initialises),
            ("parking_lot::condvar::Condvar::notify_one", Does::Notifies(OpKind::NotifyOne)),
            ("flume::Shared<T>::send_sync::{{closure}}", Does::Other),
        ] {
            assert_eq!(does(function), expected, "{function}");
        }
    }
}
