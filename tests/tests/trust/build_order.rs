//! What a test explores is decided by that test, not by what was built before.
