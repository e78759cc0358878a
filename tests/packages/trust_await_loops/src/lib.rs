//! Loops that lock and look, or wait until a time is over and look.
