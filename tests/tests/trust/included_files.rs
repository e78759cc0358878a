//! Names and `main` in included files mean the same as in the source.
