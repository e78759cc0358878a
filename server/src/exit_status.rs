//! Exit statuses, as promised in interface.md.

/// Every test passed within the stated guarantee.
pub const PASSED: u8 = 0;
/// A failure was found, or a replayed schedule failed.
pub const FAILED: u8 = 1;
/// Wrong usage, or the target cannot be used; a replay that diverged.
pub const ERROR: u8 = 2;
/// A limit or Ctrl-C came before the goal, without a failure.
pub const INCOMPLETE: u8 = 3;
