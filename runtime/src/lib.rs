//! The controlled world of the test program.
//!
//! A program that was linked with `libraddle_rt.so` and started by `raddle` (the environment
//! names a channel) runs here: its threads become carriers' fibers (or real OS threads that pass
//! a token), every synchronisation operation goes through one kernel that decides who runs next
//! as a plan says, and after each execution memory is rolled back to where it was before the
//! first. Started by hand, the same program runs as if the library were not there.
//!
//! The way of one operation: `interpose` (a libc symbol), `facade` (Rust's std) or `access`
//! (compiler hooks) → `model` (what the operation means) → `kernel::point` (who goes next) →
//! `carrier` (the switch) → back in `model`, which does the operation and records its event.

#![no_std]
#![allow(static_mut_refs)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod access;
pub mod access_atomic;
pub mod access_owners;
pub mod access_wide;
pub mod c_api;
pub mod carrier;
pub mod debug;
pub mod facade;
pub mod interpose;
pub mod kernel;
pub mod memory;
pub mod method;
pub mod model;
pub mod modelled;
pub mod promoted;
pub mod std_locks;
pub mod svcomp;
mod sys;
pub mod touches;

/// Says where the kernel itself went wrong, and ends the process: the server reports the plan
/// that was running as a crash of the runner.
pub fn kernel_bug(info: &core::panic::PanicInfo<'_>) -> ! {
    struct Stderr;
    impl core::fmt::Write for Stderr {
        fn write_str(&mut self, s: &str) -> core::fmt::Result {
            sys::complain(s);
            Ok(())
        }
    }
    let _ = core::fmt::write(&mut Stderr, format_args!("raddle: bug in the runtime: {info}\n"));
    sys::exit(70)
}
