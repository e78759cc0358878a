//! Without std, without a prelude, with every warning an error.
#![no_std]
#![no_implicit_prelude]
#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications, single_use_lifetimes)]
#![forbid(unsafe_code)]

use ::core::clone::Clone;
use ::core::iter::Iterator;
use ::core::marker::Copy;
use ::core::ops::Fn;
use ::core::option::Option::{self, None, Some};

/// A sum.
pub fn sum<'a, I: Iterator<Item = &'a u32>>(items: I) -> Option<u32> {
    let mut all = None;
    for i in items {
        all = Some(all.unwrap_or(0) + i);
    }
    all
}

/// Never comes back.
pub fn never() -> ! {
    loop {}
}

/// All of them.
pub fn evens() -> impl Iterator<Item = u32> {
    #![allow(unused_braces)]
    (0..4).filter(|n| { n % 2 == 0 })
}

/// Its types are known from what it returns.
pub fn adder(by: &[u32]) -> impl Fn(&usize) -> u32 + '_ {
    move |&i| by[i].pow(1)
}

/// Not a constant.
pub const fn constant() -> u32 { 3 }

macro_rules! methods {
    ($($(#[$doc:meta])* $visible:vis fn $name:ident = $value:expr;)*) => {
        /// Has methods.
        #[derive(Clone, Copy)]
        pub struct Made;

        impl Made {
            $($(#[$doc])* $visible fn $name(self) -> u32 { if $value > 3 { return 3; } $value })*
        }
    };
}

methods! {
    /// One.
    pub fn one = 1;
    /// Five.
    pub fn five = 5;
}
