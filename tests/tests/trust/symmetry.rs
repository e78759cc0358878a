//! Threads that do the same are found to fail as soon as two of them would be.
