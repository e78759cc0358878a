//! Accesses of safe code over dependencies with unsafe code are watched.
