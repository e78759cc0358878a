//! Plain accesses that race: in some state two of them are next, and those of one such pair of places in the program are
//! run, one behind the other, for the detector to see.

use super::Walk;
use crate::analysis::size_of_access;
use crate::mutants::Mutant;
use crate::points::bits;
use crate::states::model::learned::Beyond;
use crate::states::model::state::Step;
use raddle_schedule::{Event, OpKind};

impl Walk {
    /// Two threads that would race here, in places of the program where none was run yet.
    pub(super) fn race(&mut self, top: usize, enabled: u64) -> Result<Option<(u8, u8)>, Beyond> {
        if !self.learned.has_data() || self.mutant == Some(Mutant::WalkWithoutRaces) {
            return Ok(None);
        }
        let state = &self.frames[top].state;
        for first in bits(enabled) {
            let Step::Does(one, _) = state.step(first, None, &self.learned)? else { continue };
            for second in bits(enabled & !(u64::MAX >> (63 - first))) {
                let Step::Does(other, _) = state.step(second, None, &self.learned)? else { continue };
                let mut places = [&one, &other].map(|e| (e.site, e.raw_kind()));
                places.sort_unstable();
                if are_racing(&one, &other) && self.races.insert(places) {
                    return Ok(Some((first, second)));
                }
            }
        }
        Ok(None)
    }
}

/// Two next steps that nothing orders: would they race?
fn are_racing(a: &Event, b: &Event) -> bool {
    let accesses = |e: &Event| e.kind().is_data() || e.kind().is_atomic();
    let writes = |e: &Event| match e.kind() {
        OpKind::Read | OpKind::AtomicLoad => false,
        _ => !e.failed(),
    };
    let plain = a.kind().is_data() || b.kind().is_data();
    let end = |e: &Event| e.object() + size_of_access(e);
    let meet = a.object() < end(b) && b.object() < end(a);
    plain && accesses(a) && accesses(b) && (writes(a) || writes(b)) && meet
}
