//! Random numbers of C. `rand` and `random` draw from one row of numbers of the process, `drand48` and its like from
//! another: libc's own, so that a seed gives what it gives there. Both begin anew in every execution. Who draws, or seeds, tells
//! the others by what is left, so both are steps once there are several threads; they order nothing else.

use super::{modelled, real, site};
use crate::entry;
use crate::kernel::{k, spin};
use crate::model::atomic::{self, Effect};
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_double, c_int, c_long, c_void};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use raddle_schedule::channel::outside::{DRAWS_RANDOM, READS_CLOCK};
use raddle_schedule::{OpKind, Order, world};

/// `struct random_data` (glibc, stdlib.h).
#[repr(C)]
struct Data {
    words: [usize; 6],
}

unsafe extern "C" {
    fn initstate_r(seed: u32, state: *mut c_char, size: usize, data: *mut Data) -> c_int;
    fn srandom_r(seed: u32, data: *mut Data) -> c_int;
    fn random_r(data: *mut Data, result: *mut i32) -> c_int;
}

/// As large as that of libc, which makes the same numbers of it.
const STATE: usize = 128;

struct State {
    data: Data,
    words: [u64; STATE / 8],
    /// What `drand48` goes by: 48 bits, times 0x5deece66d plus 11 (POSIX).
    last: u64,
}

struct Cell(UnsafeCell<State>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Cell {}

static NOW: Cell =
    Cell(UnsafeCell::new(State { data: Data { words: [0; 6] }, words: [0; STATE / 8], last: 0 }));

fn now() -> &'static mut State {
    // SAFETY: see `Cell`; one reference at a time.
    unsafe { &mut *NOW.0.get() }
}

/// A row of numbers as the program has left it before the first execution.
struct Before {
    seed: AtomicU64,
    drawn: AtomicU64,
}

impl Before {
    const fn new(seed: u64) -> Before {
        Before { seed: AtomicU64::new(seed), drawn: AtomicU64::new(0) }
    }

    fn seeded(&self, seed: u64) {
        self.seed.store(seed, Relaxed);
        self.drawn.store(0, Relaxed);
    }

    fn drew(&self) {
        self.drawn.fetch_add(1, Relaxed);
    }
}

/// What nobody has seeded goes as after `srand(1)`, and from 0.
static BEFORE: Before = Before::new(1);
static BEFORE_48: Before = Before::new(0);

/// An execution begins.
pub fn begin() {
    let state = now();
    let words = state.words.as_mut_ptr().cast();
    state.data = Data { words: [0; 6] };
    // SAFETY: both are ours, and as large as said.
    unsafe { initstate_r(BEFORE.seed.load(Relaxed) as u32, words, STATE, &mut state.data) };
    state.last = BEFORE_48.seed.load(Relaxed);
    for _ in 0..BEFORE.drawn.load(Relaxed) {
        draw();
    }
    for _ in 0..BEFORE_48.drawn.load(Relaxed) {
        draw_48();
    }
}

fn draw() -> i32 {
    let mut number = 0;
    // SAFETY: what `begin` has made.
    unsafe { random_r(&mut now().data, &mut number) };
    number
}

fn draw_48() -> u64 {
    let state = now();
    state.last = state.last.wrapping_mul(0x5_deec_e66d).wrapping_add(11) & ((1 << 48) - 1);
    state.last
}

fn of_seed_48(seed: c_long) -> u64 {
    u64::from(seed as u32) << 16 | 0x330e
}

/// What a program seeds once it has read a clock counts as random: most seed with the time.
fn seeded() {
    if k().setup().channel.header().outside.load(Relaxed) & READS_CLOCK != 0 {
        k().asks_for_fixed(DRAWS_RANDOM);
    }
}

/// Somebody draws, or seeds.
fn step(object: u64, kind: OpKind, caller: *const c_void) {
    spin::changed();
    if k().spawned > 1 {
        atomic::before(kind, object, 8, Order::Relaxed, site(caller));
        atomic::done(0, Effect::Done);
    }
}

macro_rules! draws {
    ($($(#[$doc:meta])* $name:ident / $inner:ident -> $ty:ty: $object:ident, $before:ident, $number:expr;)*) => { $( entry! {
        $(#[$doc])*
        fn $name / $inner() -> $ty, 0, caller {
            if !modelled() {
                $before.drew();
                // SAFETY: passed on.
                return unsafe { (real::get().$name)() };
            }
            step(world::$object, OpKind::AtomicRmw, caller);
            $number
        }
    } )* };
}

draws! {
    /// A number from 0 to RAND_MAX.
    rand / rand_inner -> c_int: RANDOM, BEFORE, draw();
    /// A number from 0 to below 2³¹.
    random / random_inner -> c_long: RANDOM, BEFORE, c_long::from(draw());
    /// A number from 0 to below 1.
    drand48 / drand48_inner -> c_double: RANDOM_48, BEFORE_48, draw_48() as f64 / (1u64 << 48) as f64;
    /// A number from 0 to below 2³¹.
    lrand48 / lrand48_inner -> c_long: RANDOM_48, BEFORE_48, (draw_48() >> 17) as c_long;
    /// A number from -2³¹ to below 2³¹.
    mrand48 / mrand48_inner -> c_long: RANDOM_48, BEFORE_48, c_long::from((draw_48() >> 16) as u32 as i32);
}

/// Seeds what `rand` and `random` draw from.
fn seed(seed: u32, caller: *const c_void) {
    seeded();
    step(world::RANDOM, OpKind::AtomicStore, caller);
    // SAFETY: what `begin` has made.
    unsafe { srandom_r(seed, &mut now().data) };
}

entry! {
    /// Seeds the numbers.
    fn srand / srand_inner(number: u32) -> (), 1, caller {
        if !modelled() {
            BEFORE.seeded(u64::from(number));
            // SAFETY: passed on.
            return unsafe { (real::get().srand)(number) };
        }
        seed(number, caller)
    }
}

entry! {
    /// The same.
    fn srandom / srandom_inner(number: u32) -> (), 1, caller {
        if !modelled() {
            BEFORE.seeded(u64::from(number));
            // SAFETY: passed on.
            return unsafe { (real::get().srandom)(number) };
        }
        seed(number, caller)
    }
}

entry! {
    /// Seeds those of `drand48`.
    fn srand48 / srand48_inner(number: c_long) -> (), 1, caller {
        if !modelled() {
            BEFORE_48.seeded(of_seed_48(number));
            // SAFETY: passed on.
            return unsafe { (real::get().srand48)(number) };
        }
        seeded();
        step(world::RANDOM_48, OpKind::AtomicStore, caller);
        now().last = of_seed_48(number);
    }
}
