//! A published crate that is used with unsafe code: in a package of its own, since such packages are watched.

#![cfg(test)]

mod crossbeam_epoch;
mod crossbeam_utils;
