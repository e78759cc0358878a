//! Which calls of C and C++ synchronise.

/// What a call does, and which of its arguments is the object (the one an operation waits for
/// with a mutex beside it is the condition variable).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// In one word.
    pub kind: &'static str,
    /// Number of the argument that is the object.
    pub object: Option<usize>,
}

/// A function of pthreads, C11 threads, semaphores, or an atomic operation, by its name.
pub fn function(name: &str) -> Option<Call> {
    let on = |kind, object| Some(Call { kind, object: Some(object) });
    let bare = |kind| Some(Call { kind, object: None });
    match name {
        "pthread_create" | "thrd_create" => bare("spawn"),
        "pthread_join" | "thrd_join" => on("join", 0),
        "pthread_mutex_lock"
        | "pthread_mutex_timedlock"
        | "pthread_mutex_clocklock"
        | "pthread_spin_lock"
        | "mtx_lock"
        | "mtx_timedlock" => on("lock", 0),
        "pthread_mutex_trylock" | "pthread_spin_trylock" | "mtx_trylock" => on("try-lock", 0),
        "pthread_mutex_unlock" | "pthread_spin_unlock" | "pthread_rwlock_unlock" | "mtx_unlock" => {
            on("unlock", 0)
        }
        "pthread_rwlock_rdlock"
        | "pthread_rwlock_timedrdlock"
        | "pthread_rwlock_clockrdlock"
        | "pthread_rwlock_tryrdlock" => on("read-lock", 0),
        "pthread_rwlock_wrlock"
        | "pthread_rwlock_timedwrlock"
        | "pthread_rwlock_clockwrlock"
        | "pthread_rwlock_trywrlock" => on("write-lock", 0),
        "pthread_cond_wait"
        | "pthread_cond_timedwait"
        | "pthread_cond_clockwait"
        | "cnd_wait"
        | "cnd_timedwait"
        | "pthread_barrier_wait" => on("wait", 0),
        "pthread_cond_signal" | "pthread_cond_broadcast" | "cnd_signal" | "cnd_broadcast" => on("notify", 0),
        "sem_wait" | "sem_trywait" | "sem_timedwait" | "sem_clockwait" => on("wait", 0),
        "sem_post" => on("post", 0),
        "pthread_once" | "call_once" => on("once", 0),
        "sched_yield" | "pthread_yield" | "thrd_yield" => bare("yield"),
        "sleep" | "usleep" | "nanosleep" | "thrd_sleep" => bare("sleep"),
        "raddle_point" | "raddle_choose" => bare("point"),
        _ => atomic(name),
    }
}

/// `atomic_load_explicit`, `__atomic_load_n`, `__sync_fetch_and_add`, …
fn atomic(name: &str) -> Option<Call> {
    let rest = name
        .strip_prefix("__c11_atomic_")
        .or_else(|| name.strip_prefix("__atomic_"))
        .or_else(|| name.strip_prefix("atomic_"));
    let kind = match rest {
        Some(rest) if rest.starts_with("load") => "load",
        Some(rest) if rest.starts_with("store") || rest.starts_with("flag_clear") || rest == "clear" => {
            "store"
        }
        Some(rest) if rest.ends_with("fence") => return Some(Call { kind: "fence", object: None }),
        Some(rest) if is_update(rest) => "rmw",
        Some(_) => return None,
        None => match name.strip_prefix("__sync_")? {
            "synchronize" => return Some(Call { kind: "fence", object: None }),
            "lock_release" => "store",
            _ => "rmw",
        },
    };
    Some(Call { kind, object: Some(0) })
}

fn is_update(rest: &str) -> bool {
    ["exchange", "compare_exchange", "fetch_", "flag_test_and_set", "test_and_set"]
        .iter()
        .any(|s| rest.starts_with(s))
        || rest.ends_with("_fetch")
}

/// A method of C++'s standard library, told by its name and number of arguments; its object is
/// what it is called on.
pub fn method(name: &str, arguments: usize) -> Option<&'static str> {
    Some(match (name, arguments) {
        ("lock", 0) => "lock",
        ("try_lock", 0) | ("try_lock_for" | "try_lock_until", 1) => "try-lock",
        ("unlock" | "unlock_shared", 0) => "unlock",
        ("lock_shared" | "try_lock_shared", 0) => "read-lock",
        ("wait", 1 | 2) | ("wait_for" | "wait_until", 2 | 3) | ("arrive_and_wait", 0) => "wait",
        ("notify_one" | "notify_all", 0) => "notify",
        ("load", 0 | 1) => "load",
        ("store", 1 | 2) => "store",
        ("exchange", 1 | 2) | ("compare_exchange_weak" | "compare_exchange_strong", 2..=4) => "rmw",
        ("test_and_set", 0 | 1) => "rmw",
        ("join", 0) => "join",
        ("acquire" | "try_acquire", 0) => "wait",
        ("release", 0) => "post",
        (name, 1 | 2) if name.starts_with("fetch_") => "rmw",
        _ => return None,
    })
}

/// Types that exist to be shared, and the word for their values.
pub fn is_shared_type(text: &str) -> bool {
    const NAMES: [&str; 20] = [
        "pthread_mutex_t",
        "pthread_cond_t",
        "pthread_rwlock_t",
        "pthread_spinlock_t",
        "pthread_barrier_t",
        "pthread_once_t",
        "sem_t",
        "mtx_t",
        "cnd_t",
        "once_flag",
        "_Atomic",
        "mutex",
        "recursive_mutex",
        "shared_mutex",
        "timed_mutex",
        "condition_variable",
        "condition_variable_any",
        "atomic",
        "shared_ptr",
        "latch",
    ];
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|w| NAMES.contains(&w) || w.starts_with("atomic_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_by_name() {
        let kind = |name| function(name).map(|c| c.kind);
        assert_eq!(kind("pthread_mutex_lock"), Some("lock"));
        assert_eq!(kind("atomic_fetch_add_explicit"), Some("rmw"));
        assert_eq!(kind("__atomic_add_fetch"), Some("rmw"));
        assert_eq!(kind("__sync_val_compare_and_swap"), Some("rmw"));
        assert_eq!(kind("atomic_thread_fence"), Some("fence"));
        assert_eq!(kind("atomic_init"), None);
        assert_eq!(kind("pthread_mutex_init"), None);
        assert_eq!(method("wait", 1), Some("wait"));
        assert_eq!(method("lock", 1), None);
        assert!(is_shared_type("std::atomic<int>") && is_shared_type("atomic_int *"));
        assert!(!is_shared_type("struct atomics"));
    }
}
