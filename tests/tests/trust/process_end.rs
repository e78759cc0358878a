//! The end of the process is a step like any other.
