//! Races with what functions do that are no code of the crate.

use std::cell::UnsafeCell;
use std::ffi::{c_char, c_int, c_uint};
use std::thread;

unsafe extern "C" {
    fn set_by_theirs(place: *mut i32);
    fn set_by_ours(place: *mut i32);
    fn sincos(x: f64, sin: *mut f64, cos: *mut f64);
    fn cbrt(x: f64) -> f64;
    fn getenv(name: *const c_char) -> *mut c_char;
    fn poll(records: *mut i32, count: u64, wait: c_int) -> c_int;
    fn abs(n: c_int) -> c_int;
    fn sleep(seconds: c_uint) -> c_uint;
    #[allow(dead_code)]
    fn of_nobody(place: *mut i32);
}

struct Shared(UnsafeCell<[i32; 16]>);

// SAFETY: it is not safe to share; that is what these tests are about.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared(UnsafeCell::new([0; 16]));

/// What `does` it does beside a thread that writes to the same place.
fn beside_a_write(does: unsafe fn(*mut i32)) {
    // SAFETY: as above.
    let t = thread::spawn(move || unsafe { does(SHARED.0.get().cast()) });
    // SAFETY: as above.
    unsafe { *SHARED.0.get().cast::<i32>() = 0 };
    t.join().unwrap();
}

#[test]
fn of_c() {
    foreign_is_linked();
    beside_a_write(|place| unsafe { set_by_theirs(place) });
}

#[test]
fn of_libm() {
    beside_a_write(|place| unsafe { sincos(cbrt(1.0), place.cast(), place.cast::<f64>().add(1)) });
}

#[test]
fn of_libc() {
    beside_a_write(|place| unsafe {
        sleep(abs(0) as c_uint);
        getenv(place.cast());
        poll(place, 1, 0);
    });
}

#[test]
fn of_the_crate() {
    foreign_is_linked();
    beside_a_write(|place| unsafe { set_by_ours(place) });
}

fn foreign_is_linked() {
    let _ = foreign::set_by_ours as unsafe extern "C" fn(*mut i32);
}
