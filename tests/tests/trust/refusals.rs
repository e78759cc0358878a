//! A refused call ends its execution; the search explores the others.
