//! Static objects, their destructors, and the accesses that come after them.
