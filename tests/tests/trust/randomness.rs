//! Random numbers, hash seeds and clocks: what is fixed is named.
