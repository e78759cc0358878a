//! No bound.

use super::Scope;
use crate::reduction::Child;

/// Everything is in scope.
pub struct Unbounded;

impl Scope for Unbounded {
    fn admits(&self, _: &Child) -> bool {
        true
    }

    fn round(&self, _: &Child) -> u32 {
        0
    }
}
