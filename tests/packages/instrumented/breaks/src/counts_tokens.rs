//! A macro of a well-known name that takes nothing but what it expects.

macro_rules! cfg_if {
    (if #[cfg($_:meta)] { fn $name:ident() -> u8 { $value:literal } }) => {
        pub fn $name() -> u8 { $value }
    };
}

cfg_if! { if #[cfg(all())] { fn answer() -> u8 { 42 } } }
