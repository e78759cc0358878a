//! The modelled parts of std, for the facade crates `raddle_std`, `raddle_core` and `raddle_test`.
//!
//! A program explored by Raddle is compiled with `--extern std=libraddle_std.rlib` and so on: it
//! names std and gets these types. Each has the interface of its std counterpart in the supported
//! toolchains and, inside a controlled execution, asks the kernel in `libraddle_rt.so` before
//! every operation that another thread could notice. Outside of one it does what std does.
//!
//! Three rules hold throughout:
//!
//! - *Nothing is kept here.* Between executions the kernel rolls memory back, and what the facade
//!   remembered elsewhere would survive that. There are no thread-locals, and but one static (`test_name`),
//!   which is set before the first.
//! - *A place is the caller's.* Public operations are `#[track_caller]` and pass the place on;
//!   where the language gives none (a guard's drop, a formatter) they pass [`rt::Loc::UNKNOWN`]
//!   and the kernel finds the nearest frame outside of the facade.
//! - *Types are built around the real ones*, so that const constructors, auto traits, layout and
//!   poisoning are those of std. (Not where what the real one does would be told to the race detector and
//!   order what the program's does not: `raddle_rwlock.rs`, `raddle_channel_lock.rs`.)
//!
//! The files are named so that a breakpoint at `lib.rs:5` or `mutex.rs:9` never means one of them.

#[path = "raddle_atomic.rs"]
pub mod atomic;
#[path = "raddle_hint.rs"]
pub mod hint;
#[path = "raddle_marks.rs"]
pub mod marks;
#[path = "raddle_panics.rs"]
pub mod panics;
#[path = "raddle_modelled.rs"]
pub mod raddle_modelled;
#[path = "raddle_random.rs"]
pub mod raddle_random;
#[path = "raddle_rt.rs"]
pub mod rt;
#[path = "raddle_std_locks.rs"]
mod std_locks;
#[path = "raddle_sync.rs"]
pub mod sync;
#[path = "raddle_test_name.rs"]
pub mod test_name;
#[path = "raddle_thread.rs"]
pub mod thread;
#[path = "raddle_word.rs"]
mod word;
