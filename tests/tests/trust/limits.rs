//! Limits of steps and time mean what they say.
