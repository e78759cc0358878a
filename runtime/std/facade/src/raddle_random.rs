//! What is inserted into crates that draw random numbers calls (`instrumenter/src/rust/random_crates.rs`;
//! `runtime/src/interpose/random_choices.rs` says what it means). Nothing is unsafe for whoever calls it, since such crates may forbid that.

use crate::rt::Loc;
use std::ffi::c_void;

#[link(name = "raddle_rt", kind = "dylib")]
unsafe extern "C" {
    safe fn raddle_rt_random_below(n: u64, source: u64, generator: u64, loc: *const c_void) -> i64;
    safe fn raddle_rt_random_draws(generator: u64);
    fn raddle_rt_random_seed(out: *mut u64) -> bool;
    safe fn raddle_rt_random_seeding(on: bool) -> bool;
    safe fn raddle_rt_random_using(generator: u64) -> u64;
    safe fn raddle_rt_random_seeded();
}

/// A number below `n` of a source that nobody can seed, where it is a choice.
#[track_caller]
pub fn below(n: u128, source: u64) -> Option<u64> {
    below_by(0, n, source)
}

/// The same of the generator at this address.
#[track_caller]
pub fn below_by(generator: usize, n: u128, source: u64) -> Option<u64> {
    let n = u64::try_from(n).ok()?;
    u64::try_from(raddle_rt_random_below(n, source, generator as u64, Loc::caller().address())).ok()
}

/// The generator of rand that each thread has, and nobody can seed.
const THREAD_RNG: &str = "rand::rngs::thread::ThreadRng";

/// The same of a generator of this type, where that is the one that the system has seeded for each thread.
#[track_caller]
pub fn below_of<R: ?Sized>(n: u128, source: u64) -> Option<u64> {
    if std::any::type_name::<R>().ends_with(THREAD_RNG) { below(n, source) } else { None }
}

/// A number is drawn that is no choice.
pub fn draws() {
    draws_by(0);
}

/// The same from the generator at this address.
pub fn draws_by(generator: usize) {
    raddle_rt_random_draws(generator as u64);
}

/// What to seed a generator with whose draws are looked at.
pub fn seed() -> Option<u64> {
    let mut word = 0;
    // SAFETY: the word is there.
    unsafe { raddle_rt_random_seed(&mut word) }.then_some(word)
}

/// The thread's generator is seeded by the program.
pub fn seeded() {
    raddle_rt_random_seeded();
}

/// As long as it lives, random bytes are for the seed of a generator whose draws are looked at.
pub struct Seeding(bool);

/// See [`Seeding`].
pub fn seeding() -> Seeding {
    Seeding(raddle_rt_random_seeding(true))
}

impl Drop for Seeding {
    fn drop(&mut self) {
        raddle_rt_random_seeding(self.0);
    }
}

/// As long as it lives, the generator at this address is the thread's own.
pub struct Using(u64);

/// See [`Using`].
pub fn using(generator: usize) -> Using {
    Using(raddle_rt_random_using(generator as u64))
}

impl Drop for Using {
    fn drop(&mut self) {
        raddle_rt_random_using(self.0);
    }
}
