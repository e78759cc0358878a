//! Two modules without unsafe code, beside one with: what the compiler adds for that one it adds to all.

pub mod cell;
pub mod pool;
