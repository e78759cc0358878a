//! Whose turn it is, and how many plans are in flight.
//!
//! The opening is the reduced search's: no two of its executions are alike, and those of its opening
//! ([`crate::Config::opening`]) differ much from what was seen. docs/src/internals/default-search.md has what was measured.

use super::Which;

/// Executions after which they take turns one by one.
pub const OPENING: u64 = 32;
/// One more plan is in flight for so many that were submitted.
const PATIENCE: u64 = 8;

/// Who has had how many turns.
#[derive(Default)]
pub struct Turns {
    submitted: u64,
    /// Who went last since the opening.
    last: Option<Which>,
    /// A person leads the plain search.
    pub led: bool,
}

impl Turns {
    /// Plans that may be in flight, of which there are `most` later.
    pub fn in_flight(&self, most: usize) -> usize {
        usize::try_from(self.submitted / PATIENCE).unwrap_or(most).clamp(1, most.max(1))
    }

    /// Who goes next, or who else if that one cannot.
    pub fn next(&self) -> [Which; 2] {
        let plain = self.led || self.submitted >= OPENING && self.last == Some(Which::Reduced);
        if plain { [Which::Plain, Which::Reduced] } else { [Which::Reduced, Which::Plain] }
    }

    /// A plan of this one was submitted.
    pub fn taken(&mut self, which: Which) {
        self.submitted += 1;
        // Who could not go has no turns to make up for later.
        if self.submitted > OPENING && !self.led {
            self.last = Some(which);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_the_opening_they_take_turns_whoever_could_not_go_before() {
        let mut turns = Turns::default();
        let mut order = |n: usize, only: Option<Which>| -> Vec<Which> {
            let take = |_| {
                let which = only.unwrap_or(turns.next()[0]);
                turns.taken(which);
                which
            };
            (0..n).map(take).collect()
        };
        let opening = order(OPENING as usize, None);
        let (a, b) = (Which::Reduced, Which::Plain);
        assert!(opening.iter().all(|which| *which == a));
        assert_eq!(order(4, None), [a, b, a, b]);
        order(100, Some(Which::Plain));
        assert_eq!(order(4, None), [a, b, a, b]);
        order(100, Some(Which::Reduced));
        assert_eq!(order(4, None), [b, a, b, a]);
    }

    #[test]
    fn more_and_more_plans_are_in_flight() {
        let mut turns = Turns::default();
        assert_eq!(turns.in_flight(32), 1);
        (0..1000).for_each(|_| turns.taken(Which::Plain));
        assert_eq!((turns.in_flight(32), turns.in_flight(3)), (32, 3));
    }
}
