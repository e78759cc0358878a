//! What an explored program gets when it names `std`: the real one, with the modelled parts in
//! place of its own. (An item named here goes before the same one from the glob.)

pub use raddle_facade::{
    hint, raddle_again, raddle_asserted, raddle_async, raddle_closure, raddle_fn, raddle_modelled,
    raddle_point, raddle_random, sync, thread,
};
pub use std::*;
