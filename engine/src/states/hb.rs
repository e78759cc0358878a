//! `hb`: the same state is reached by beginnings of the same happens-before class (paper 000, section
//! on caching; paper 002's table with the class in the place of the counters). The key is the
//! signature of the class so far, with plain accesses in it where they are no steps, so that
//! racing ones keep their order.
//!
//! What comes after two beginnings of one class forms the same classes, so an execution of every class is
//! kept.

use super::Matching;
use crate::analysis::signature::Signature;
use raddle_schedule::Event;

/// See the module's text.
#[derive(Default)]
pub struct HappensBefore {
    signature: Signature,
}

impl Matching for HappensBefore {
    fn clear(&mut self) {
        self.signature.clear();
    }

    fn take(&mut self, event: &Event) {
        self.signature.take::<true>(event, &mut |_| ());
    }

    fn state(&self, _: u64) -> u64 {
        self.signature.total()
    }

    fn name(&self, thread: u8) -> u64 {
        self.signature.thread(thread)
    }
}
