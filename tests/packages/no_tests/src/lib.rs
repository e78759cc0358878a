//! Has no test.

pub fn nothing() {}
