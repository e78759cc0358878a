//! What the source instrumentation inserts: a marker at the beginning of a function, which puts the
//! function on the running thread's shadow stack for as long as it lives, and a schedule point
//! before a statement.
//!
//! The macros stand in programs of every edition, without std, without a prelude, and under
//! `#![forbid(unsafe_code)]`: they name everything from `$crate` and say nothing unsafe.

use crate::rt::{self, Loc};

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
