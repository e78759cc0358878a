//! Tells the kernel where the locks of std's standard output and error lie, before `main`: what is generic in them is
//! compiled into programs, where it may have hooks, and that they are taken is seen nowhere.
//!
//! Of standard input nothing is compiled there that writes to what it guards.

use crate::rt;
use std::cell::RefCell;
use std::io::{LineWriter, Stderr, Stdout};
use std::mem;
use std::sync::ReentrantLock;

/// What std has in them is of no size: a stream is its number.
type Raw = std::io::Sink;

/// To be called once, before anything is written.
pub fn tell() {
    // SAFETY: each is a reference to a static lock and nothing else, in the toolchains that are supported.
    let (out, err) = unsafe {
        (
            mem::transmute::<Stdout, *const ()>(std::io::stdout()),
            mem::transmute::<Stderr, *const ()>(std::io::stderr()),
        )
    };
    rt::std_lock(out, size_of::<ReentrantLock<RefCell<LineWriter<Raw>>>>());
    rt::std_lock(err, size_of::<ReentrantLock<RefCell<Raw>>>());
}
