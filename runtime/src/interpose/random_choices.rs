//! Small random numbers as inputs (`--random-choices`): a random number below one of 2 to [`SMALL`] is a choice, and all of its
//! values are explored. A source counts only where the system has seeded it, never the program: what that seeds gives one
//! row of numbers, and others would be false alarms.
//!
//! libc's `rand` and its like are none of them: their rows follow from the seed, and how small the number is that the program
//! makes of one (`rand() % 3`) is not known here.
//!
//! The sources of Rust are crates. What is inserted into them (`instrumenter/src/rust/random_crates.rs`) calls the facade
//! (`raddle_random.rs`), which calls this: before a number is drawn ([`below`]), when one is drawn that is no choice ([`raddle_rt_random_draws`]),
//! and when a generator is seeded ([`raddle_rt_random_seed`]). A generator of one thread that its program may seed ([`Generator`]) is
//! known by its address while it is in use.

use super::environment::word;
use super::modelled;
use crate::c_api::choose_input;
use crate::entry;
use crate::facade;
use crate::kernel::k;
use core::ffi::c_void;
use core::sync::atomic::Ordering;
use raddle_schedule::channel::outside::DRAWS_RANDOM;
use raddle_schedule::input::SMALL;

/// What a thread does with the generator that it has of a crate's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Generator {
    /// Where the one lies that is in use; 0 for none.
    used: u64,
    /// The program has seeded it.
    is_seeded: bool,
    /// Somebody is seeding a generator whose draws are looked at.
    is_being_seeded: bool,
}

impl Generator {
    /// Of a fresh thread.
    pub const fn new() -> Self {
        Generator { used: 0, is_seeded: false, is_being_seeded: false }
    }
}

/// Are small random numbers inputs?
fn are_choices() -> bool {
    modelled() && k().setup().random_choices
}

/// Does the running thread draw for the seed of a generator whose own draws are looked at? Then nothing hangs on these.
pub fn seeds_what_is_chosen() -> bool {
    k().setup().random_choices && k().me().generator.is_being_seeded
}

/// A number below this one as a choice, for the source with this number; `None` where it is to be drawn.
pub fn below(n: u64, source: u64, site: impl FnOnce() -> u32) -> Option<u64> {
    if !are_choices() || n == 0 || n > SMALL {
        return None;
    }
    if n == 1 {
        return Some(0);
    }
    k().setup().channel.header().inputs.fetch_or(1 << source, Ordering::Relaxed);
    Some(choose_input(source, n as u32, site(), u64::from))
}

/// Is this the running thread's own generator, which the system has seeded? 0 stands for one that nobody can seed.
fn is_chance(generator: u64) -> bool {
    let own = k().me().generator;
    generator == 0 || (own.used == generator && !own.is_seeded)
}

entry! {
    /// A number below `n` is to be drawn from the generator at this address, for the source with this number: the number, or
    /// -1 where it is to be drawn.
    fn raddle_rt_random_below / random_below(n: u64, source: u64, generator: u64, place: *const c_void) -> i64, {
        if !are_choices() || !is_chance(generator) {
            return -1;
        }
        below(n, source, || facade::site(place)).map_or(-1, |n| n as i64)
    }
}

/// A number is drawn from the generator at this address that is no choice.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_random_draws(generator: u64) {
    if are_choices() && is_chance(generator) {
        k().asks_for_fixed(DRAWS_RANDOM);
    }
}

/// A word to seed a generator with whose draws are looked at; false where the program is to take its own.
///
/// # Safety
/// `out` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_rt_random_seed(out: *mut u64) -> bool {
    if !modelled() {
        return false;
    }
    if !k().setup().random_choices {
        k().asks_for_fixed(DRAWS_RANDOM);
    }
    // SAFETY: the caller's.
    unsafe { *out = word() };
    true
}

/// The running thread is about to seed a generator whose draws are looked at, or has; what was so before.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_random_seeding(on: bool) -> bool {
    modelled() && core::mem::replace(&mut k().me().generator.is_being_seeded, on)
}

/// The running thread uses the generator at this address that is its own; the one that it used before.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_random_using(generator: u64) -> u64 {
    if modelled() { core::mem::replace(&mut k().me().generator.used, generator) } else { 0 }
}

/// The program seeds the running thread's generator.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_random_seeded() {
    if modelled() {
        k().me().generator.is_seeded = true;
    }
}
