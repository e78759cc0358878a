//! Whose turn it is, and how many plans are in flight.
//!
//! The opening is the reduced search's: no two of its executions are alike, and those of its opening
//! ([`crate::Config::opening`]) differ much from what was seen. Of a long search a share is drawn: where every execution has many steps,
//! those that differ in their first choices are never come to by the others. docs/src/internals/default-search.md has what was
//! measured.

use super::Which;

/// Executions after which they take turns one by one.
pub const OPENING: u64 = 32;
/// Executions after which some are drawn.
pub const DRAWING: u64 = 1_000;
/// One of so many is drawn then,
const SHARE: u64 = 4;
/// up to so many executions,
const MOST_DRAWN: u64 = 10_000;
/// and one of so many later.
const LATER: u64 = 16;
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
    pub fn next(&self) -> impl Iterator<Item = Which> + use<> {
        let share = if self.submitted < MOST_DRAWN { SHARE } else { LATER };
        let draws = !self.led && self.submitted >= DRAWING && self.submitted.is_multiple_of(share);
        let plain = self.led || self.submitted >= OPENING && self.last == Some(Which::Reduced);
        let both = if plain { [Which::Plain, Which::Reduced] } else { [Which::Reduced, Which::Plain] };
        draws.then_some(Which::Drawn).into_iter().chain(both)
    }

    /// A plan of this one was submitted.
    pub fn taken(&mut self, which: Which) {
        self.submitted += 1;
        // Who could not go has no turns to make up for later.
        if self.submitted > OPENING && !self.led && which != Which::Drawn {
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
                let which = only.or(turns.next().next()).unwrap();
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
    fn a_share_is_drawn_behind_the_first_thousand() {
        let mut turns = Turns::default();
        let mut drawn = |n: u64| {
            let take = |_| {
                let which = turns.next().next().unwrap();
                turns.taken(which);
                which
            };
            let order: Vec<Which> = (0..n).map(take).collect();
            let is = |which: Which| order.iter().filter(|w| **w == which).count();
            (is(Which::Drawn), is(Which::Plain).abs_diff(is(Which::Reduced)))
        };
        assert_eq!(drawn(DRAWING).0, 0);
        assert_eq!(drawn(400), (100, 0));
        drawn(MOST_DRAWN);
        assert_eq!(drawn(1_600), (100, 0));
        turns.led = true;
        assert!(turns.next().next() == Some(Which::Plain));
    }

    #[test]
    fn more_and_more_plans_are_in_flight() {
        let mut turns = Turns::default();
        assert_eq!(turns.in_flight(32), 1);
        (0..1000).for_each(|_| turns.taken(Which::Plain));
        assert_eq!((turns.in_flight(32), turns.in_flight(3)), (32, 3));
    }
}
