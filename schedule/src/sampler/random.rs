//! Random walks: every thread that can go on is as likely as any other, at every step.

use super::{Draw, Moment, Numbers};
use crate::op::Op;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Random;

impl Draw for Random {
    fn begin(&mut self, _: &mut Numbers) {}

    fn draw(&mut self, at: &Moment, _: &mut dyn FnMut(u8) -> Op, numbers: &mut Numbers) -> u8 {
        numbers.among(at.all())
    }
}
