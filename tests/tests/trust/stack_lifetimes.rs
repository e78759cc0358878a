//! Objects on the stack of a function that returned, or of a thread that ended.
