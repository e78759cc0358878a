//! What the source instrumentation inserts: a marker at the beginning of a function, which puts the
//! function on the running thread's shadow stack for as long as it lives, and a schedule point
//! before a statement. Async code is on the stack of the thread that polls it, while that does ([`Task`]).
//!
//! The macros stand in programs of every edition, without std, without a prelude, and under
//! `#![forbid(unsafe_code)]`: they name everything from `$crate` and say nothing unsafe.

use crate::rt::{self, Loc};
use core::cell::Cell;
use core::future::{Future, IntoFuture};
use core::panic::RefUnwindSafe;
use core::pin::Pin;
use core::task::{Context, Poll};

pub use core::{concat, file, line, stringify};

/// A function, as the kernel knows it: static data, whose address is its identity.
#[repr(C)]
pub struct Method {
    name: *const u8,
    name_len: usize,
    file: *const u8,
    file_len: usize,
    line: u32,
    /// 1 of a closure that whoever is given it may run: what it does is its function's doing.
    closure: u32,
}

// SAFETY: it is only ever read, and what it points to is static text.
unsafe impl Sync for Method {}

impl Method {
    /// Of a function with this qualified name, whose marker stands at this place.
    pub const fn new(name: &'static str, file: &'static str, line: u32) -> Method {
        Method {
            name: name.as_ptr(),
            name_len: name.len(),
            file: file.as_ptr(),
            file_len: file.len(),
            line,
            closure: 0,
        }
    }

    /// Of a closure in a function.
    pub const fn closure(name: &'static str, file: &'static str, line: u32) -> Method {
        Method { closure: 1, ..Method::new(name, file, line) }
    }
}

/// A function that runs; dropped when it is left, also by a panic.
pub struct Running(u32);

/// The function begins. (Inlined in any case: the kernel takes the stack pointer for the function's own.)
#[inline(always)]
pub fn enter(method: &'static Method) -> Running {
    Running(rt::enter(method))
}

impl Drop for Running {
    #[inline]
    fn drop(&mut self) {
        rt::leave(self.0);
    }
}

/// The body of an async function or block, from its first poll until it is dropped. It lives in the future.
pub struct Task {
    method: &'static Method,
    /// No thread is polling the body.
    is_suspended: Cell<bool>,
}

// SAFETY: the flag is used by the thread alone that polls or drops the future, which has it by `&mut`.
unsafe impl Sync for Task {}

// The flag is right after a panic, too: whether futures are unwind safe is decided by what is in them.
impl RefUnwindSafe for Task {}

/// The body begins. (Inlined in any case, as [`enter`] is.)
#[inline(always)]
pub fn begin(method: &'static Method) -> Task {
    rt::enter(method);
    Task { method, is_suspended: Cell::new(false) }
}

impl Task {
    /// A future that the body awaits.
    #[inline]
    pub fn wait<F: IntoFuture>(&self, future: F) -> Awaited<F::IntoFuture> {
        Awaited { future: future.into_future(), task: self }
    }
}

impl Drop for Task {
    #[inline]
    fn drop(&mut self) {
        if !self.is_suspended.get() {
            rt::suspend(self.method);
        }
    }
}

/// A future that a body awaits. Where it is pending, the thread leaves the body; the thread that polls it again enters
/// the body.
#[must_use = "futures do nothing unless polled"]
pub struct Awaited<F> {
    future: F,
    /// Of the body that awaits, in the same pinned future, which it has begun to run: it neither moves nor ends before this.
    task: *const Task,
}

// SAFETY: the task is reached while the body's future is polled alone, by the thread that does so.
unsafe impl<F: Send> Send for Awaited<F> {}
// SAFETY: a reference to it gives access to nothing.
unsafe impl<F: Sync> Sync for Awaited<F> {}

impl<F: Future> Future for Awaited<F> {
    type Output = F::Output;

    // Inlined in any case: the kernel takes the stack pointer for that of the body.
    #[inline(always)]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: the future is not moved; the task outlives the future that it awaits (`Awaited::task`).
        let (future, task) = unsafe {
            let this = self.get_unchecked_mut();
            (Pin::new_unchecked(&mut this.future), &*this.task)
        };
        if task.is_suspended.replace(false) {
            rt::enter(task.method);
        }
        let polled = future.poll(cx);
        if polled.is_pending() {
            task.is_suspended.set(true);
            rt::suspend(task.method);
        }
        polled
    }
}

/// A schedule point before the statement that follows.
#[inline]
#[track_caller]
pub fn point() {
    rt::statement(Loc::caller());
}

/// The marker of a function, by its qualified name; in the body of a macro by an identifier.
#[macro_export]
macro_rules! raddle_fn {
    ($name:literal) => {
        $crate::marks::enter({
            static METHOD: $crate::marks::Method =
                $crate::marks::Method::new($name, $crate::marks::file!(), $crate::marks::line!());
            &METHOD
        })
    };
    ($prefix:literal $name:tt) => {
        $crate::marks::enter({
            static METHOD: $crate::marks::Method = $crate::marks::Method::new(
                $crate::marks::concat!($prefix, $crate::marks::stringify!($name)),
                $crate::marks::file!(),
                $crate::marks::line!(),
            );
            &METHOD
        })
    };
}

/// The marker of a closure.
#[macro_export]
macro_rules! raddle_closure {
    ($name:literal) => {
        $crate::marks::enter({
            static METHOD: $crate::marks::Method =
                $crate::marks::Method::closure($name, $crate::marks::file!(), $crate::marks::line!());
            &METHOD
        })
    };
}

/// The marker of async code.
#[macro_export]
macro_rules! raddle_async {
    ($name:literal) => {
        $crate::marks::begin({
            static METHOD: $crate::marks::Method =
                $crate::marks::Method::new($name, $crate::marks::file!(), $crate::marks::line!());
            &METHOD
        })
    };
}

/// The message of an assertion that has none of its own.
#[macro_export]
macro_rules! raddle_asserted {
    ($condition:expr) => {
        $crate::marks::concat!("assertion failed: ", $crate::marks::stringify!($condition))
    };
}

/// A schedule point before a statement.
#[macro_export]
macro_rules! raddle_point {
    () => {
        $crate::marks::point()
    };
}

/// A schedule point at the end of a loop's body, before its header is evaluated again.
#[macro_export]
macro_rules! raddle_again {
    () => {
        // The body may never come here.
        #[allow(unreachable_code)]
        {
            $crate::marks::point()
        }
    };
}
