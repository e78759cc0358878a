//! What an explored program gets when it names `core`.

pub use core::*;
pub use raddle_facade::{
    hint, raddle_again, raddle_asserted, raddle_async, raddle_closure, raddle_fn, raddle_modelled,
    raddle_point, raddle_random,
};

/// `core::sync`.
pub mod sync {
    pub use core::sync::*;
    pub use raddle_facade::atomic;
}
